import type { FastifyInstance } from 'fastify'
import { countTry } from '../../database/tries.ts'
import { LIMITS, type LimitRow } from '../../limits/table.ts'
import { MemoryCounter } from './memory-counter.ts'

type Counted = (error: Error | null, result?: { current: number; ttl: number }) => void

/** Names of limits that each process counts for itself. */
const OF_PROCESS = new Set(
  Object.entries<LimitRow>(LIMITS).flatMap(([limit, row]) => (row.isOfProcess === true ? [limit] : [])),
)

/**
 * Where @fastify/rate-limit counts: in the database, for all processes together, or in memory. Keys begin with the limit's
 * name, so routes share it.
 */
export function limitStoreOf({ db }: FastifyInstance) {
  const memory = new MemoryCounter()
  return class LimitStore {
    incr(key: string, counted: Counted, timeWindow: number): void {
      const isOfProcess = OF_PROCESS.has(key.split(' ', 1)[0] ?? '')
      Promise.resolve(isOfProcess ? memory.count(key, timeWindow) : countTry(db, key, timeWindow)).then(
        ({ count, ttl }) => counted(null, { current: count, ttl }),
        (error: Error) => counted(error),
      )
    }

    child(): LimitStore {
      return this
    }
  }
}
