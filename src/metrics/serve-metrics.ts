import { once } from 'node:events'
import { listenError } from '../start/problems.ts'
import { type Running, runningUntil } from '../start/stoppable.ts'
import { createServer } from '../web/node-http.ts'

/** Where metrics are read. */
export interface MetricsPlace {
  readonly host: string
  readonly port: number
}

/**
 * Answers `GET /metrics` at an address of its own: nobody who reads the forum reaches it.
 * @param read what there is to read, in Prometheus' text format
 * @throws StartError when nothing can listen there
 */
export async function serveMetrics(
  { host, port }: MetricsPlace,
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

/** A worker that died or hangs leaves its part out of one reading: the next one is asked of its successor. */
async function answer(read: () => Promise<string>): Promise<readonly [status: number, text: string]> {
  try {
    return [200, await read()]
  } catch (error) {
    return [503, `${error instanceof Error ? error.message : error}\n`]
  }
}
