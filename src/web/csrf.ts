import { Tokens } from '@fastify/csrf'
import csrfProtection from '@fastify/csrf-protection'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { NeedsSignIn, Problem } from '../kernel/problem.ts'
import type { SecretKeys } from '../secrets/keys.ts'
import { cookieOf } from './cookies.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** The hidden `_csrf` field of a form on this page. Sets the secret's cookie when there is none. */
    csrfToken(): string
  }
  interface FastifyContextConfig {
    /** For a form that only signed-in people may send: visitors go to sign in, whatever their token. */
    needsPerson?: boolean
    /** Mail programs post there by themselves (RFC 8058): what the address names is what may be done. No cookie counts. */
    isFromAnywhere?: boolean
  }
}

/** How tokens are made. */
export const CSRF_TOKENS = {
  algorithm: 'sha256',
  saltLength: 16,
  validity: 7 * 24 * 60 * 60 * 1000,
}

/**
 * Every post needs a token bound to its session (double submit cookie with HMAC: OWASP CSRF Prevention Cheat Sheet) and,
 * when the browser says where it comes from, our own origin.
 */
export async function registerCsrf(app: FastifyInstance, [secret, ...olds]: SecretKeys): Promise<void> {
  const { name: cookieKey, options } = cookieOf(app.config, 'csrf')
  // Forms that were open when SECRET was rotated.
  const older = olds.map((hmacKey) => new Tokens({ ...CSRF_TOKENS, hmacKey, userInfo: true }))
  await app.register(csrfProtection, {
    cookieKey,
    cookieOpts: options,
    csrfOpts: { ...CSRF_TOKENS, hmacKey: secret },
    getToken: tokenOf,
    getUserInfo: userInfo,
    logLevel: 'info',
  })
  app.decorateReply('csrfToken', function () {
    return this.generateCsrf({ userInfo: userInfo(this.request) } as Parameters<typeof this.generateCsrf>[0])
  })
  app.addHook('preHandler', (request, reply, done) => {
    if (request.method !== 'POST' || request.routeOptions.config.isFromAnywhere === true) return done()
    if (!isOurs(request, app.config.baseUrl)) return done(new Problem('foreignForm'))
    // An ended session makes the token wrong too: the way to sign in keeps the text, a 403 would only explain.
    if (request.routeOptions.config.needsPerson === true && request.person === null)
      return done(new NeedsSignIn())
    if (
      older.some((tokens) =>
        tokens.verify(request.cookies[cookieKey] ?? '', tokenOf(request), userInfo(request)),
      )
    )
      return done()
    app.csrfProtection(request, reply, done)
  })
}

/** The token a form brought; '': none. */
export function tokenOf(request: FastifyRequest): string {
  const body = request.body
  if (typeof body !== 'object' || body === null || !('_csrf' in body)) return ''
  return typeof body._csrf === 'string' ? body._csrf : ''
}

/** Binds a token to the session, so that a token of one person is worth nothing to another. */
function userInfo(request: FastifyRequest): string {
  return request.sessionToken ?? 'visitor'
}

/** Sec-Fetch-Site where the browser sends it, else Origin; neither: no browser, the token alone decides. */
function isOurs(request: FastifyRequest, baseUrl: string): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = request.headers.origin
  if (origin === undefined) return true
  return origin === new URL(baseUrl).origin || origin === `${request.protocol}://${request.host}`
}
