import type { FastifyInstance } from 'fastify'
import { type Aggregator, Gauge, type Registry } from 'prom-client'
import { useOf } from '../../database/connection.ts'
import { countUnsent } from '../../mail/unsent.ts'
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
  registerMails(app, registry)
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
function registerMails(app: FastifyInstance, registry: Registry): void {
  const mails = new Gauge({
    name: 'handup_mails',
    help: 'Mails not sent: waiting for their (next) try, or given up',
    labelNames: ['state'],
    registers: [registry],
    aggregator: 'max',
    async collect() {
      mails.reset()
      const unsent = await countUnsent(app.db).catch(() => null)
      if (unsent === null) return
      mails.set({ state: 'waiting' }, unsent.waiting)
      mails.set({ state: 'failed' }, unsent.givenUp)
    },
  })
}

function gaugesIn(registry: Registry) {
  return (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum') => {
    const collect = (): void => gauge.set(read())
    const gauge = new Gauge({ name, help, registers: [registry], aggregator, collect })
  }
}
