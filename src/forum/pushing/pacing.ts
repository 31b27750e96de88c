import { LRUCache } from 'lru-cache'
import { atMost } from '../../text/at-most.ts'
import { Turns } from '../../web/turns.ts'

/** A push that took longer was slow, whatever came of it. Milliseconds. */
const SLOW_MS = 3_000
/** How long somebody who was slow is left alone: twice as long with each time. Milliseconds. */
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 60 * 60_000
const MAX_REMEMBERED = 10_000
/** More than all jobs that a process does at a time. */
const MANY = 1_000

/** The person's browsers or the host took long a moment ago: it is tried again later, without waiting for them now. */
export class StillSlow extends Error {
  constructor() {
    super('the push service was slow a moment ago')
  }
}

/**
 * Pushes one at a time for a person and for a host, so that none has several of the few workers; and who is slow fails at once for a
 * while, so that pushes of others do not wait for them again and again.
 */
export class Pacing {
  private readonly now: () => number
  private readonly turns = new Turns({ room: MANY, waiting: MANY, waitingOfName: MANY, patience: 15_000 })
  private readonly slow = new LRUCache<string, { readonly until: number; readonly pause: number }>(
    atMost(MAX_REMEMBERED),
  )

  /** @param now milliseconds of a clock that only goes forward */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  /** @param names of the person and the host. @throws StillSlow, NoTurn, what `push` throws */
  async one<Result>(names: readonly string[], push: () => Promise<Result>): Promise<Result> {
    const end = await this.turns.take({ size: 1, counts: names.map((name) => ({ name, most: 1 })) })
    try {
      if (names.some((name) => (this.slow.get(name)?.until ?? 0) > this.now())) throw new StillSlow()
      const begun = this.now()
      return await push().finally(() => this.note(names, this.now() - begun))
    } finally {
      end()
    }
  }

  private note(names: readonly string[], took: number): void {
    for (const name of names) {
      if (took < SLOW_MS) {
        this.slow.delete(name)
        continue
      }
      const pause = Math.min(LONGEST_PAUSE_MS, (this.slow.get(name)?.pause ?? FIRST_PAUSE_MS / 2) * 2)
      this.slow.set(name, { until: this.now() + pause, pause })
    }
  }
}
