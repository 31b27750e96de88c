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
    .description('simulate a course on a new forum, and report how long people waited')
    .option('--weeks <number>', 'length of the course', wholeNumber(1, 52), 12)
    .option('--learners <number>', 'number of learners', wholeNumber(2, 100_000), 3000)
    .option('--staff <number>', 'number of staff, half an hour a day each at the desk', wholeNumber(1, 20), 3)
    .option('--seed <number>', 'the same number gives the same course', wholeNumber(0, MAX_SEED), 1)
    .action(play)
}

async function play(scenario: Scenario): Promise<void> {
  const shown = stepwiseProgress()
  await withDatabase(async ({ config, db }) => {
    if (!(await isFresh(db)))
      throw new CommandError(
        'This forum already has people or courses: use a new one, such as DATA_DIR=/tmp/simulated.',
      )
    // The whole forum: no other command loads it.
    const { simulatedApp } = await import('../simulate/simulated-app.ts')
    const app = await simulatedApp(config, db)
    try {
      shown.begin('Playing days', scenario.weeks * 7)
      const report = await simulate(app, scenario, () => shown.advance(1))
      shown.done()
      for (const line of reportLines(report)) console.log(line)
      if (report.told.differences.length > 0)
        throw new CommandError('Notifications differ from what people should have got.')
    } finally {
      await app.close()
    }
  })
}
