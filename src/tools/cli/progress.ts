import { SingleBar } from 'cli-progress'

/** The progress of a long task. */
export interface Progress {
  /** Adds completed work. */
  advance(amount: number): void
  /** The task completed or failed. */
  done(): void
}

/** Step of plain output in percent, so that a log stays short. */
const STEP_PERCENT = 10

/**
 * Shows a task's progress on standard output: a bar on a terminal, else a line every ten percent.
 * @param total the amount of work, in any unit
 */
export function progress(label: string, total: number): Progress {
  return process.stdout.isTTY ? progressBar(label, total) : progressLines(label, total)
}

export type StepwiseProgress = ReturnType<typeof stepwiseProgress>

/** Shows the steps of a longer task one after another. */
export function stepwiseProgress() {
  let shown: Progress | null = null
  return {
    begin(label: string, total: number) {
      shown?.done()
      shown = progress(label, total)
    },
    advance: (amount: number) => shown?.advance(amount),
    /** A line between the steps. */
    say(line: string) {
      shown?.done()
      shown = null
      console.log(line)
    },
    done: () => shown?.done(),
  }
}

function progressBar(label: string, total: number): Progress {
  const options = { format: `${label} {bar} {percentage}% · {duration_formatted}`, hideCursor: true, fps: 5 }
  const bar = new SingleBar({
    ...options,
    stream: process.stdout,
    barCompleteChar: '█',
    barIncompleteChar: '░',
  })
  bar.start(total, 0)
  return { advance: (amount) => bar.increment(amount), done: () => bar.stop() }
}

function progressLines(label: string, total: number): Progress {
  let reached = 0
  let told = 0
  return {
    advance(amount) {
      reached += amount
      // Counts may be of what all read, and the work of more.
      const percent = total === 0 ? 100 : Math.min(100, Math.floor((100 * reached) / total))
      if (percent < told + STEP_PERCENT) return
      told = percent - (percent % STEP_PERCENT)
      console.log(`${label}: ${told}%`)
    },
    done() {},
  }
}
