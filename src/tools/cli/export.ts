import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { pictureStore } from '../../forum/pictures/picture-store.ts'
import { exportCourse } from '../../operating/exchange/course-export.ts'
import { ExchangeError } from '../../operating/exchange/exchange-error.ts'
import { fromHere } from './from-here.ts'
import { stepwiseProgress } from './progress.ts'
import { CommandError, withDatabase } from './run.ts'

export function addExport(program: Command): void {
  program
    .command('export')
    .description('write what can be taken elsewhere')
    .command('course')
    .description('write a course in the exchange format: a folder, or one file that ends in .tar.zst')
    .argument('<slug>', 'the course')
    .argument('<path>', 'the folder or file to create')
    .option('--pseudonymous', 'without names, addresses and ids')
    .action(exportTo)
}

async function exportTo(slug: string, given: string, { pseudonymous = false }: { pseudonymous?: boolean }) {
  const path = fromHere(given)
  if ((await stat(path).catch(() => null)) !== null)
    throw new CommandError(`${path} already exists: choose another name`)
  const shown = stepwiseProgress()
  try {
    const { questions, answers, replies, people, pictures, missing } = await withDatabase(({ db, config }) =>
      exportCourse(db, pictureStore(config), {
        ...{ slug, path, baseUrl: config.baseUrl },
        isPseudonymous: pseudonymous,
        onProgress: shown,
      }),
    )
    shown.done()
    const lost = missing === 0 ? '' : `; ${missing} pictures are missing`
    console.log(
      `exported ${questions} questions, ${answers} answers, ${replies} replies, ${people} people, ${pictures} pictures: ${path}${lost}`,
    )
  } catch (error) {
    shown.done()
    throw error instanceof ExchangeError ? new CommandError(error.message, { cause: error }) : error
  }
}
