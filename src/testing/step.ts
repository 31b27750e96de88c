/** The result of a step of `npm test`. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The output of a failure; empty when it was printed already. */
  readonly report: string
}

export interface Step {
  readonly name: string
  /** A short description. */
  readonly about: string
  run(): Promise<Outcome>
}

/**
 * Runs the steps in order, and prints the start, result and duration of each.
 * @returns the sum of the results
 */
export async function runSteps(steps: readonly Step[]): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const step of steps) {
    console.log(`▸ ${step.name}: ${step.about}`)
    const began = performance.now()
    const outcome = await step.run().catch(brokenOff)
    if (outcome.report !== '') console.log(outcome.report)
    console.log(`  ${wordsOf(outcome)} in ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
    outcomes.push(outcome)
  }
  return sum(outcomes)
}

/** Steps at the same time, as one; what failed in them is reported at the end. */
export function together(steps: readonly Step[]): Step {
  return {
    name: steps.map(({ name }) => name).join(', '),
    about: steps.map(({ about }) => about).join('; '),
    async run() {
      const outcomes = await Promise.all(steps.map((step) => step.run().catch(brokenOff)))
      const reports = outcomes.map(({ report }) => report).filter((report) => report !== '')
      return { ...sum(outcomes), report: reports.join('\n') }
    },
  }
}

/** A step that is one check. */
export function checked(holds: boolean, report: string): Outcome {
  return holds
    ? { passed: 1, failed: 0, skipped: 0, report: '' }
    : { passed: 0, failed: 1, skipped: 0, report: report.trim() }
}

function brokenOff(error: unknown): Outcome {
  return checked(false, error instanceof Error ? (error.stack ?? error.message) : String(error))
}

function wordsOf({ passed, failed, skipped }: Outcome): string {
  const words = [`${passed} passed`]
  if (failed > 0) words.push(`${failed} FAILED`)
  if (skipped > 0) words.push(`${skipped} skipped`)
  return words.join(', ')
}

function sum(outcomes: readonly Outcome[]): Outcome {
  const total = (count: 'passed' | 'failed' | 'skipped') => outcomes.reduce((all, one) => all + one[count], 0)
  return { passed: total('passed'), failed: total('failed'), skipped: total('skipped'), report: '' }
}
