import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'

/** /healthz: the process lives. /readyz: it can serve, which takes the database. */
export function registerHealth(app: FastifyInstance): void {
  const config = { isPublic: true }
  app.get('/healthz', { config }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('ok\n'),
  )
  app.get('/readyz', { config }, async (_request, reply) => {
    reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8')
    try {
      await sql`select 1`.execute(app.db)
      return reply.send('ready\n')
    } catch (error) {
      app.log.warn({ err: error }, 'not ready')
      return reply.code(503).header('retry-after', '5').send('the database does not answer\n')
    }
  })
}
