import { LRUCache } from 'lru-cache'
import type { Tries } from '../../database/tries.ts'
import { atMost } from '../../text/words/remembered.ts'

const MAX_COUNTERS = 20_000

/** Counts what bounds the work of this process alone. The least recently used counters go first. */
export class MemoryCounter {
  /** `endsAt`: of performance.now(). */
  private readonly counters = new LRUCache<string, { count: number; readonly endsAt: number }>(
    atMost(MAX_COUNTERS),
  )

  /** Counts one more. @param window milliseconds, from the first time on */
  count(key: string, window: number): Tries {
    // Of the process: the system's time may be set back by an hour.
    const now = performance.now()
    const known = this.counters.get(key)
    const counter = known !== undefined && known.endsAt > now ? known : { count: 0, endsAt: now + window }
    counter.count += 1
    this.counters.set(key, counter)
    return { count: counter.count, ttl: Math.ceil(counter.endsAt - now) }
  }
}
