import type { FastifyInstance } from 'fastify'
import { type Aggregator, Gauge, type Registry } from 'prom-client'
import { useOf } from '../../database/connection.ts'
import { countJobs } from '../../jobs/table.ts'
import { handupVersion } from '../version.ts'
import { registerPageCacheFigures } from './page-cache.ts'

/** Figures read at scrape time. The values of several processes are added, unless the figure says otherwise. */
export async function registerFigures(app: FastifyInstance, registry: Registry): Promise<void> {
  const gauge = gaugesIn(registry)
  gauge('handup_database_connections', 'Open connections to the database', () => useOf(app.db).open)
  gauge('handup_database_connections_idle', 'Those that nobody uses', () => useOf(app.db).idle)
  gauge('handup_database_waiting', 'Queries that wait for a connection', () => useOf(app.db).waiting)
  const isLive = () => (app.changes?.isLive === true ? 1 : 0)
  gauge('handup_changes_live', '0: some process has lost its change feed, and caches nothing', isLive, 'min')
  registerPageCacheFigures(app, registry)
  registerJobFigures(app, registry)
  const labels = { version: await handupVersion(), node: process.versions.node }
  const names = ['version', 'node'] as const
  const about = {
    name: 'handup_info',
    help: 'The version that runs',
    labelNames: names,
    registers: [registry],
  }
  new Gauge({ ...about, aggregator: 'first' }).set(labels, 1)
}

/**
 * Figures about rows, which are the same for every process, so one reports them. While the database is unavailable they
 * are left out.
 */
function registerJobFigures(app: FastifyInstance, registry: Registry): void {
  const jobs = new Gauge({
    name: 'handup_jobs',
    help: 'Jobs not done: waiting for their (next) try, of these failing ones, and given up',
    labelNames: ['kind', 'state'],
    registers: [registry],
    aggregator: 'max',
    async collect() {
      jobs.reset()
      oldest.reset()
      for (const job of (await countJobs(app.db).catch(() => null)) ?? []) {
        jobs.set({ kind: job.kind, state: 'waiting' }, job.waiting)
        jobs.set({ kind: job.kind, state: 'failing' }, job.failing)
        jobs.set({ kind: job.kind, state: 'failed' }, job.givenUp)
        oldest.set({ kind: job.kind }, job.oldest)
      }
    },
  })
  const oldest = new Gauge({
    name: 'handup_jobs_oldest_seconds',
    help: 'Since when the oldest job that waits has waited',
    labelNames: ['kind'],
    registers: [registry],
    aggregator: 'max',
  })
}

function gaugesIn(registry: Registry) {
  return (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum') => {
    const collect = (): void => gauge.set(read())
    const gauge = new Gauge({ name, help, registers: [registry], aggregator, collect })
  }
}
