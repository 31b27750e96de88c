import type { Command } from 'commander'
import { pictureStore } from '../../forum/pictures/picture-store.ts'
import { type CheckedBackup, checkBackup } from '../../operating/backup/check-backup.ts'
import { putBackPictures } from '../../operating/backup/pictures.ts'
import { restoreBackup } from '../../operating/backup/restore-backup.ts'
import { uploadPlace } from '../../operating/backup/uploads.ts'
import { existingSecretKeys, unreadableLine } from '../../operating/start/secret.ts'
import { backupProblem } from './backup-problem.ts'
import { fromHere } from './from-here.ts'
import { type StepwiseProgress, stepwiseProgress } from './progress.ts'
import { withDatabase, withDatabaseAsItIs } from './run.ts'
import { textTable } from './table.ts'

const STEPS = { load: 'Restoring', indexes: 'Building indexes' } as const
type Step = keyof typeof STEPS

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('restore a backup into an empty installation, all or nothing')
    .argument('<file>', 'created by backup')
    .option('--check', 'only verify the file and list its content')
    .option('--pictures', 'only put back the pictures that are missing or damaged here, while the forum runs')
    .action(restore)
}

interface Options {
  readonly check?: boolean
  readonly pictures?: boolean
}

async function restore(file: string, { check = false, pictures = false }: Options): Promise<void> {
  const shown = stepwiseProgress()
  try {
    const begin = (bytes: number) => shown.begin('Checking the file', bytes)
    const checked = await checkBackup(fromHere(file), { ...shown, begin })
    const lines = check ? [] : pictures ? await putBack(checked) : await bringBack(checked, shown)
    shown.done()
    for (const line of [contents(checked), ...lines]) console.log(line)
  } catch (error) {
    shown.done()
    throw backupProblem(error)
  }
}

/** @returns lines for the operator */
async function putBack({ path }: CheckedBackup): Promise<string[]> {
  const { files, stillHarmed } = await withDatabase(({ db, config }) =>
    putBackPictures(db, pictureStore(config), path),
  )
  return [
    `put back ${files} files of pictures; of those that posts show, ${stillHarmed} are still missing or damaged`,
  ]
}

/** @returns lines for the operator */
async function bringBack(checked: CheckedBackup, shown: StepwiseProgress): Promise<string[]> {
  const progress = { ...shown, begin: (step: Step, total: number) => shown.begin(STEPS[step], total) }
  const { leftOut, isFinished, unreadable } = await withDatabaseAsItIs(async ({ url, db, config }) => ({
    ...(await restoreBackup({ url, ...uploadPlace(config) }, checked, progress)),
    unreadable: await unreadableLine(db, await existingSecretKeys(config)),
  }))
  if (isFinished)
    return ['the data was already there from an unfinished restore: its pictures are in place now']
  return [
    ...(leftOut.length === 0 ? [] : [`left out, because Handup has no such tables: ${leftOut.join(', ')}`]),
    'restored. Set SECRET to what it was (or put the old DATA_DIR/secret back); everyone signs in again',
    ...(unreadable === null ? [] : [unreadable]),
  ]
}

/** The backup's metadata. */
function contents({ manifest, uploads }: CheckedBackup): string {
  const { handup, postgres, madeAt, migrations, tables } = manifest
  const rows = tables.map((table) => [String(table.rows), table.name])
  return [
    textTable([['rows', 'table'], ...rows, [String(uploads), '(uploads)']]),
    `created ${madeAt} by Handup ${handup} on PostgreSQL ${postgres}, newest migration ${migrations.at(-1)}`,
  ].join('\n')
}
