import type { FastifyInstance } from 'fastify'
import { type Aggregator, Gauge, type Registry } from 'prom-client'
import { useOf } from '../../database/connection.ts'
import { handupVersion } from '../version.ts'
import { registerEventFigures } from './events.ts'
import { registerJobFigures } from './jobs.ts'
import { registerPageCacheFigures } from './page-cache.ts'
import { registerPlaceFigures } from './places.ts'

/** Figures read at scrape time. The values of several processes are added, unless the figure says otherwise. */
export async function registerFigures(app: FastifyInstance, registry: Registry): Promise<void> {
  const gauge = gaugesIn(registry)
  gauge('handup_database_connections', 'Open connections to the database', () => useOf(app.db).open)
  gauge('handup_database_connections_idle', 'Those that nobody uses', () => useOf(app.db).idle)
  gauge('handup_database_waiting', 'Queries that wait for a connection', () => useOf(app.db).waiting)
  const isLive = () => (app.changes?.isLive === true ? 1 : 0)
  gauge('handup_changes_live', '0: some process has lost its change feed, and caches nothing', isLive, 'min')
  gauge('handup_streams_open', 'Open pages that are told what is new', () => app.openStreams())
  registerPageCacheFigures(app, registry)
  await registerJobFigures(app, registry)
  registerEventFigures(registry)
  registerPlaceFigures(app, registry)
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

function gaugesIn(registry: Registry) {
  return (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum') => {
    const collect = (): void => gauge.set(read())
    const gauge = new Gauge({ name, help, registers: [registry], aggregator, collect })
  }
}
