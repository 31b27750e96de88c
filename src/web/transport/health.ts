import type { FastifyInstance } from 'fastify'
import { whyUnwritable } from '../../database/failures.ts'

/** /healthz: the process lives. /readyz: it can serve, which takes a database that can be written, and goes on serving. */
export function registerHealth(app: FastifyInstance): void {
  const config = { isPublic: true }
  app.get('/healthz', { config }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('ok\n'),
  )
  app.get('/readyz', { config }, async (_request, reply) => {
    reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8')
    const notReady = (why: string) => reply.code(503).header('retry-after', '5').send(`${why}\n`)
    if (app.isClosing) return notReady('stopping')
    try {
      const why = await whyUnwritable(app.db)
      if (why !== null) return notReady(why)
      return reply.send('ready\n')
    } catch (error) {
      app.log.warn({ err: error }, 'not ready')
      return notReady('the database does not answer')
    }
  })
}
