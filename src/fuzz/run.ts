import type { FastifyInstance } from 'fastify'
import { recount } from '../database/recount.ts'
import { type Walked, type WalkOptions, walk } from './walk.ts'

export interface FuzzReport extends Walked {
  /** Counters that are not what they count, a line each. */
  readonly miscounts: readonly string[]
}

/** Has the forum listen, walks it over real connections, and counts everything anew at the end. The app is the caller's to close. */
export async function runFuzz(app: FastifyInstance, options: WalkOptions): Promise<FuzzReport> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const walked = await walk(url, app.db, options)
  const differences = await recount(app.db)
  const miscounts = differences.map(
    ({ counter, id, stored, counted }) => `${counter} of ${id} is ${stored}, counted ${counted}`,
  )
  return { ...walked, miscounts }
}
