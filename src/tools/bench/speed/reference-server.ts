import fastify from 'fastify'
import { serveReference } from './child.ts'
import type { SentPage } from './reference.ts'

/** Fastify serving nothing but stored pages. */
serveReference(async (sent: readonly SentPage[]) => {
  // A Buffer sent between processes arrives as a Uint8Array.
  const pages = new Map(sent.map((page) => [page.path, { ...page, body: Buffer.from(page.body) }]))
  const app = fastify({ logger: false })
  app.get('/*', (request, reply) => {
    const page = pages.get(request.url)
    if (page === undefined) return reply.code(404).send()
    return reply.headers(page.headers).send(page.body)
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
})
