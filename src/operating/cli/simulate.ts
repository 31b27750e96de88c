import type { Command } from 'commander'
import { reportLines } from '../simulate/report.ts'
import { isFresh, simulate } from '../simulate/simulate.ts'
import type { Scenario } from '../simulate/world.ts'
import { stepwiseProgress } from './progress.ts'
import { CommandError, withDatabase } from './run.ts'
import { wholeNumber } from './whole-number.ts'

const MAX_SEED = 2 ** 32 - 1

export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .description(
      'play a course on a fresh forum, with staff at their desk, and report how long people waited',
    )
    .option('--weeks <number>', 'how long the course is', wholeNumber(1, 52), 12)
    .option('--learners <number>', 'who ask and help each other', wholeNumber(2, 100_000), 3000)
    .option('--staff <number>', 'who work at the desk, half an hour a day each', wholeNumber(1, 20), 3)
    .option('--seed <number>', 'the same number gives the same course', wholeNumber(0, MAX_SEED), 1)
    .action(play)
}

async function play(scenario: Scenario): Promise<void> {
  const shown = stepwiseProgress()
  await withDatabase(async ({ config, db }) => {
    if (!(await isFresh(db)))
      throw new CommandError(
        'This forum has people or courses already: simulate on a fresh one, such as DATA_DIR=/tmp/simulated.',
      )
    // The whole forum: no other command loads it.
    const { simulatedApp } = await import('../start/simulated-app.ts')
    const app = await simulatedApp(config, db)
    try {
      shown.begin('Playing days', scenario.weeks * 7)
      const report = await simulate(app, scenario, () => shown.advance(1))
      shown.done()
      for (const line of reportLines(report)) console.log(line)
      if (report.told.differences.length > 0)
        throw new CommandError('What people were told differs from what they must have been told.')
    } finally {
      await app.close()
    }
  })
}
