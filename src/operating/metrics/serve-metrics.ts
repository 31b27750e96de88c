import { once } from 'node:events'
import { createServer } from '../../web/transport/node-http.ts'
import { listenError } from '../problems.ts'
import { type Running, runningUntil } from '../running.ts'

/**
 * Serves `GET /metrics` on a separate port, which readers of the forum cannot reach.
 * @param read the metrics in Prometheus' text format
 * @throws StartError when it cannot listen
 */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
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
