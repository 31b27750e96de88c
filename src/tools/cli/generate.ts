import { type Command, InvalidArgumentError } from 'commander'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { slugOf } from '../../text/slug.ts'
import { loadForum } from '../generate/load.ts'
import { stepwiseProgress } from './progress.ts'
import { withDatabase } from './run.ts'
import { wholeNumber } from './whole-number.ts'

interface Options {
  readonly questions: number
  readonly seed: number
  readonly course?: string
}

/** Ten times the largest forum that was tested. */
const MAX_QUESTIONS = 10_000_000
const STEPS = { questions: 'Writing questions', indexes: 'Building indexes' } as const

export function addGenerate(program: Command): void {
  program
    .command('generate')
    .description('add synthetic data for load tests; no one can post until it is done')
    .requiredOption('--questions <number>', 'how many', wholeNumber(1, MAX_QUESTIONS))
    .option('--seed <number>', 'the same number gives the same forum', wholeNumber(0, 2 ** 32 - 1), 1)
    .option('--course <slug>', 'the course for them (default: several)', courseSlug)
    .action(generate)
}

async function generate({ questions, seed, course }: Options): Promise<void> {
  const started = performance.now()
  const shown = stepwiseProgress()
  await withDatabase(async ({ db, url }) => {
    try {
      await loadForum(
        url,
        { questions, seed, course: course ?? null },
        { ...shown, begin: (step, total) => shown.begin(STEPS[step], total) },
      )
    } finally {
      shown.done()
    }
    console.log('Counting words')
    await refreshStatistics(db)
  })
  console.log(`${questions} questions in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

function courseSlug(text: string): string {
  if (text === slugOf(text, '')) return text
  throw new InvalidArgumentError(`It can’t be part of an address: try ${slugOf(text, 'my-course')}.`)
}
