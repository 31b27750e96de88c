import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { headersOf, type PublicAddress } from './headers.ts'

/** What a proxy writes, each of several one after the other, when nobody on the way had TLS. */
const PLAIN = /^\s*http\s*(?:,\s*http\s*)*$/i

/**
 * Sends who asked the proxy in front of us by plain http to the same address by https, as HSTS counts only there. Whoever
 * asks us directly, as health checks do, tells nothing of a proxy and is answered. It needs no trust in the header: at worst
 * somebody sends themselves to the public address. Before all that answers from a cache.
 */
export function registerHttpsOnly(app: FastifyInstance, config: PublicAddress): void {
  const { baseUrl } = config
  if (!baseUrl.startsWith('https:')) return
  app.addHook('onRequest', async (request, reply) => {
    if (!isPlain(request.headers)) return
    const path = request.url.startsWith('/') ? request.url : '/'
    // 308: a form stays a form.
    return reply
      .headers(headersOf(config))
      .header('cache-control', 'no-store')
      .redirect(`${baseUrl}${path}`, 308)
  })
}

/** Whether somebody asked the proxy in front of us by plain http. */
export function isPlain({ 'x-forwarded-proto': protocol }: IncomingHttpHeaders): boolean {
  return typeof protocol === 'string' && PLAIN.test(protocol)
}
