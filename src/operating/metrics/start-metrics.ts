import cluster from 'node:cluster'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { type Running, runningUntil } from '../running.ts'

const nothing = runningUntil(async () => {})

/** Serves an app's metrics: at METRICS_PORT or, in a worker, through the parent process. */
export async function startMetrics(app: FastifyInstance): Promise<Running> {
  const { metrics, config } = app
  if (metrics === null || config.metrics === null) return nothing
  const { registerFigures } = await import('./figures.ts')
  await registerFigures(app, metrics)
  if (cluster.isWorker) {
    const { AggregatorRegistry } = await import('prom-client')
    AggregatorRegistry.setRegistries(metrics)
    // Answers requests from now on.
    new AggregatorRegistry()
    return nothing
  }
  const { serveMetrics } = await import('./serve-metrics.ts')
  return serveMetrics(config.metrics, () => metrics.metrics())
}

/** Serves the sum of all workers' metrics at METRICS_PORT. */
export async function startCrewMetrics({ metrics }: Config): Promise<Running> {
  if (metrics === null) return nothing
  const [{ AggregatorRegistry }, { serveMetrics }] = await Promise.all([
    import('prom-client'),
    import('./serve-metrics.ts'),
  ])
  const all = new AggregatorRegistry()
  return serveMetrics(metrics, () => all.clusterMetrics())
}
