import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../database/schema.ts'
import { countJobs, type Waiting } from '../../jobs/table.ts'

const STATES = [
  ['waiting', ({ waiting }) => waiting],
  ['failing', ({ failing }) => failing],
  ['failed', ({ givenUp }) => givenUp],
] as const satisfies (readonly [string, (job: Waiting) => number])[]

/**
 * Figures about rows, which are the same for every process and every instance on one database: their label says which database, so
 * that `max by (database, kind, state)` has each once. While the database is unavailable they are left out.
 */
export async function registerJobFigures(app: FastifyInstance, registry: Registry): Promise<void> {
  const database = await nameOf(app.db)
  const about = { registers: [registry], aggregator: 'max' as const }
  // Both figures of a scrape are of one look: they are collected at once.
  let looking: Promise<Waiting[]> | null = null
  const look = () => {
    looking ??= countJobs(app.db)
      .then(
        (counts) => withIdle(counts, app.jobs.kinds),
        () => [],
      )
      .finally(() => {
        looking = null
      })
    return looking
  }
  const jobs = new Gauge({
    ...about,
    name: 'handup_jobs',
    help: 'Jobs not done: waiting for their (next) try, of these failing ones, and given up; the same in every instance on a database',
    labelNames: ['database', 'kind', 'state'],
    async collect() {
      const counts = await look()
      jobs.reset()
      for (const job of counts)
        for (const [state, count] of STATES) jobs.set({ database, kind: job.kind, state }, count(job))
    },
  })
  const oldest = new Gauge({
    ...about,
    name: 'handup_jobs_oldest_seconds',
    help: 'Since when the oldest job that waits has waited',
    labelNames: ['database', 'kind'],
    async collect() {
      const counts = await look()
      oldest.reset()
      for (const job of counts) oldest.set({ database, kind: job.kind }, job.oldest)
    },
  })
}

/** Kinds of which nothing waits have their zeros. */
function withIdle(counts: readonly Waiting[], kinds: readonly string[]): Waiting[] {
  const known = new Set(counts.map(({ kind }) => kind))
  const idle = kinds.filter((kind) => !known.has(kind))
  return [...counts, ...idle.map((kind) => ({ kind, waiting: 0, failing: 0, givenUp: 0, oldest: 0 }))]
}

/** The same from every machine: a server may have several addresses. Managed servers may keep their identifier to themselves. */
async function nameOf(db: Database): Promise<string> {
  const own = await db
    .selectNoFrom(sql<string>`current_database()`.as('name'))
    .executeTakeFirst()
    .catch(() => undefined)
  const { rows } = await sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`
    .execute(db)
    .catch(() => ({ rows: [] }))
  return [own?.name, rows[0]?.id].filter((part) => part !== undefined).join('@')
}
