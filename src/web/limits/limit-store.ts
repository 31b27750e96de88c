import type { FastifyInstance } from 'fastify'
import { countTry } from '../../database/tries.ts'

type Counted = (error: Error | null, result?: { current: number; ttl: number }) => void

/** Where @fastify/rate-limit counts: in the database, for all processes together. Keys name the limit, so routes share it. */
export function limitStoreOf({ db }: FastifyInstance) {
  return class LimitStore {
    incr(key: string, counted: Counted, timeWindow: number): void {
      countTry(db, key, timeWindow).then(
        ({ count, ttl }) => counted(null, { current: count, ttl }),
        (error: Error) => counted(error),
      )
    }

    child(): LimitStore {
      return this
    }
  }
}
