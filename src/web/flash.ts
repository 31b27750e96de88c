import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasMessage, type Message } from '../messages/catalogue.ts'
import { setSignedCookie, signedCookieOf } from './signed-cookies.ts'

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Shows a message on the next page. `key` is a message key; it has no values.
     * @param undoPath where a button beside it posts to undo what was done, with the form's fields as its query
     */
    flash(key: string, undoPath?: string): FastifyReply
  }
}

const COOKIE = 'flash'

/** A message, and where undoing what it tells of is posted; null: it cannot be undone. */
export interface Flash extends Message {
  readonly undoPath: string | null
}

/** A message for the next page, carried by a cookie that says which of our messages, never the words. */
export function registerFlash(app: FastifyInstance): void {
  const options = {
    path: '/',
    httpOnly: true,
    sameSite: 'lax' as const,
    secure: app.config.baseUrl.startsWith('https:'),
  }
  app.decorateReply('flash', function (this: FastifyReply, key: string, undoPath?: string) {
    const value = undoPath === undefined ? key : `${key} ${undoPath}`
    return setSignedCookie(this, COOKIE, value, { ...options, maxAge: 60 })
  })
}

/** The message left for this page, which is shown once. */
export function takeFlash(request: FastifyRequest, reply: FastifyReply): Flash | null {
  if (request.cookies[COOKIE] === undefined) return null
  reply.clearCookie(COOKIE, { path: '/' })
  const [key = '', undoPath = null] = signedCookieOf(request, COOKIE)?.split(' ') ?? []
  // An upgrade may have renamed the message meanwhile.
  return hasMessage(key) ? { key, undoPath } : null
}
