import fastify from 'fastify'
import { serveReference } from './child.ts'
import type { SentPage } from './reference.ts'

/** Fastify with nothing in it but pages, sent as they are. */
serveReference(async (sent: readonly SentPage[]) => {
  // Sent between processes a Buffer arrives as plain bytes.
  const pages = new Map(sent.map((page) => [page.path, { ...page, body: Buffer.from(page.body) }]))
  const app = fastify({ logger: false })
  app.get('/*', (request, reply) => {
    const page = pages.get(request.url)
    if (page === undefined) return reply.code(404).send()
    return reply.headers(page.headers).send(page.body)
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
})
