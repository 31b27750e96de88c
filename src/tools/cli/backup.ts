import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { type MadeBackup, makeBackup } from '../../operating/backup/make-backup.ts'
import { uploadPlace } from '../../operating/backup/uploads.ts'
import { sizeOf } from '../../operating/size.ts'
import { backupProblem } from './backup-problem.ts'
import { fromHere } from './from-here.ts'
import { stepwiseProgress } from './progress.ts'
import { CommandError, withDatabaseAsItIs } from './run.ts'

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('write a consistent snapshot of all data to a file while the forum runs')
    .argument('<file>', 'the file to create')
    .option('--replace', 'overwrite an existing file')
    .action(backup)
}

async function backup(file: string, { replace = false }: { replace?: boolean }): Promise<void> {
  const path = fromHere(file)
  if (!replace && (await isThere(path)))
    throw new CommandError(`${path} already exists: name another file, or add --replace`)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
  const shown = stepwiseProgress()
  const progress = { ...shown, begin: (rows: number) => shown.begin('Backing up', rows) }
  try {
    const made = await withDatabaseAsItIs(({ db, url, config }) =>
      makeBackup({ db, url, ...uploadPlace(config) }, path, { signal: stopping.signal, progress }),
    )
    shown.done()
    console.log(summary(path, made))
    tellHarm(made)
  } catch (error) {
    shown.done()
    throw backupProblem(error)
  }
}

function summary(path: string, { manifest, uploads, bytes }: MadeBackup): string {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  const files = uploads === 0 ? '' : ` and ${uploads} uploads`
  return [
    `backed up ${rows} rows of ${manifest.tables.length} tables${files}, as of ${manifest.madeAt}: ${path}, ${sizeOf(bytes)}`,
    'not in it: SECRET (or DATA_DIR/secret), which you keep apart; sessions, one-time links and their emails',
  ].join('\n')
}

/** Exit code of a backup that is made, but lacks pictures: cron and docker/nightly-backup.sh tell it from one that is not made. */
const INCOMPLETE = 3
/** Files that are named. */
const MAX_NAMED = 20

function tellHarm({ harmed }: MadeBackup): void {
  if (harmed.length === 0) return
  const lines = harmed.flatMap((picture) => picture.lines)
  const more = lines.length > MAX_NAMED ? [`… and ${lines.length - MAX_NAMED} more`] : []
  console.error(
    [
      `handup: ${harmed.length} pictures that posts show are missing or damaged. This backup has everything else:`,
      ...lines.slice(0, MAX_NAMED),
      ...more,
      'keep your last complete backup: `handup restore FILE --pictures` puts the missing ones back from it',
    ].join('\n'),
  )
  process.exitCode = INCOMPLETE
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}
