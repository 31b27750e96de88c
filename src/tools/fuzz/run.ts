import type { FastifyInstance } from 'fastify'
import { recount } from '../../database/recount.ts'
import { type Walked, type WalkOptions, walk } from './walk.ts'

export interface FuzzReport extends Walked {
  /** Wrong counters, a line each. */
  readonly miscounts: readonly string[]
}

/**
 * Starts the forum's server, fuzzes it over real connections, and recounts all counters at the end. The caller closes
 * the app.
 */
export async function runFuzz(app: FastifyInstance, options: WalkOptions): Promise<FuzzReport> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const walked = await walk(url, app.db, options)
  const differences = await recount(app.db)
  const miscounts = differences.map(
    ({ counter, id, stored, counted }) => `${counter} of ${id} is ${stored}, counted ${counted}`,
  )
  return { ...walked, miscounts }
}
