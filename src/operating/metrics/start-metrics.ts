import cluster from 'node:cluster'
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { createServer } from '../../web/transport/node-http.ts'
import { listenError } from '../problems.ts'
import { type Running, runningUntil } from '../running.ts'

const nothing = runningUntil(async () => {})

/** Serves an app's metrics: at METRICS_PORT or, in a worker, through the parent process. */
export async function startMetrics(app: FastifyInstance): Promise<Running> {
  const { metrics, config } = app
  if (metrics === null || config.metrics === null) return nothing
  const { registerFigures } = await import('./figures.ts')
  await registerFigures(app, metrics)
  if (!cluster.isWorker) return serveMetrics(config.metrics, () => metrics.metrics())
  const { AggregatorRegistry } = await import('prom-client')
  AggregatorRegistry.setRegistries(metrics)
  // Answers requests from now on.
  new AggregatorRegistry()
  return nothing
}

/** Serves the sum of all workers' metrics at METRICS_PORT. */
export async function startCrewMetrics({ metrics }: Config): Promise<Running> {
  if (metrics === null) return nothing
  const { AggregatorRegistry } = await import('prom-client')
  const all = new AggregatorRegistry()
  return serveMetrics(metrics, () => all.clusterMetrics())
}

/**
 * Serves `GET /metrics` on a separate port, which readers of the forum cannot reach.
 * @param read the metrics in Prometheus' text format
 * @throws StartError when it cannot listen
 */
async function serveMetrics(
  { host, port }: NonNullable<Config['metrics']>,
  read: () => Promise<string>,
): Promise<Running> {
  const server = createServer(async (request, response) => {
    const isAsked = request.method === 'GET' && request.url === '/metrics'
    const [status, text] = isAsked ? await answer(read) : [404, 'there is only GET /metrics\n']
    response.writeHead(status, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    response.end(text)
  })
  server.requestTimeout = 10_000
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw listenError(error, host, port, 'METRICS_')
  }
  return runningUntil(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
}

/** A worker that died or hangs is missing from one scrape; the next one asks its replacement. */
async function answer(read: () => Promise<string>): Promise<readonly [status: number, text: string]> {
  try {
    return [200, await read()]
  } catch (error) {
    return [503, `${error instanceof Error ? error.message : error}\n`]
  }
}
