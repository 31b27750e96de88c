import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Message } from '../messages/catalogue.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Shows a message on the next page. `key` is a message key; it has no values. */
    flash(key: string): FastifyReply
  }
}

const COOKIE = 'flash'

/** A message for the next page, carried by a cookie that says which of our messages, never the words. */
export function registerFlash(app: FastifyInstance): void {
  const options = {
    path: '/',
    httpOnly: true,
    sameSite: 'lax' as const,
    secure: app.config.baseUrl.startsWith('https:'),
  }
  app.decorateReply('flash', function (this: FastifyReply, key: string) {
    return this.setCookie(COOKIE, key, { ...options, maxAge: 60, signed: true })
  })
}

/** The message left for this page, which is shown once. */
export function takeFlash(request: FastifyRequest, reply: FastifyReply): Message | null {
  const cookie = request.cookies[COOKIE]
  if (cookie === undefined) return null
  reply.clearCookie(COOKIE, { path: '/' })
  const { valid, value } = request.unsignCookie(cookie)
  return valid && value !== null ? { key: value } : null
}
