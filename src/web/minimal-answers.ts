import type { FastifyInstance } from 'fastify'

/**
 * `Prefer: return=minimal` (RFC 7240): a script that posts a form is told where the answer leads, 204 with `location` instead of 303. It
 * opens that page itself, which then has the flash message; fetch would follow and take it.
 */
export function registerMinimalAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode !== 303 || request.headers.prefer !== 'return=minimal') return payload
    reply.code(204).header('preference-applied', 'return=minimal').removeHeader('content-length')
    return null
  })
}
