import type { FastifyInstance } from 'fastify'

/**
 * While the forum stops, an answer ends its connection: one kept alive for a next request, which would find nobody, holds up
 * the stop until it times out.
 */
export function registerClosing(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
}
