import type { FastifyInstance } from 'fastify'
import { recount } from '../../database/recount.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { type Walked, type WalkOptions, walk } from './walk.ts'
import '../../tables.ts'

export interface FuzzReport extends Walked {
  /** Wrong counters, a line each. */
  readonly miscounts: readonly string[]
}

/**
 * Starts the forum's server, fuzzes it over real connections, and recounts all counters at the end. The caller closes
 * the app.
 */
export async function runFuzz(
  app: FastifyInstance,
  options: Omit<WalkOptions, 'named'>,
): Promise<FuzzReport> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const parts = routesOf(app).flatMap(({ path }) => path.split('/').filter((part) => !part.startsWith(':')))
  const walked = await walk(url, app.db, { ...options, named: new Set(parts) })
  const differences = await recount(app.db)
  const miscounts = differences.map(
    ({ counter, id, stored, counted }) => `${counter} of ${id} is ${stored}, counted ${counted}`,
  )
  return { ...walked, miscounts }
}
