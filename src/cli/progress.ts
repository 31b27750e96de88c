import { SingleBar } from 'cli-progress'

/** How far a long piece of work is. */
export interface Progress {
  /** So much more is done. */
  advance(amount: number): void
  /** All of it is done, or it failed. */
  done(): void
}

/** A step of plain output, in percent: a log should not be made of progress. */
const STEP = 10

/**
 * Shows on standard output how far a piece of work is: a bar on a terminal, else a plain line every ten percent.
 * @param total the amount of work, in whatever it is measured
 */
export function progress(label: string, total: number): Progress {
  return process.stdout.isTTY ? progressBar(label, total) : progressLines(label, total)
}

export type StepwiseProgress = ReturnType<typeof stepwiseProgress>

/** Shows one step of a longer piece of work after another. */
export function stepwiseProgress() {
  let shown: Progress | null = null
  return {
    begin(label: string, total: number) {
      shown?.done()
      shown = progress(label, total)
    },
    advance: (amount: number) => shown?.advance(amount),
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
      const percent = total === 0 ? 100 : Math.floor((100 * reached) / total)
      if (percent < told + STEP) return
      told = percent - (percent % STEP)
      console.log(`${label}: ${told}%`)
    },
    done() {},
  }
}
