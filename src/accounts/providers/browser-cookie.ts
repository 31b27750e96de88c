import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { newToken } from '../../web/tokens.ts'

/** As long as provider_sign_ins are kept, in seconds. */
const LIFE = 60 * 60

/** Identifies the browser that leaves for a provider; a new value where it has none. */
export function browserToken(request: FastifyRequest, reply: FastifyReply): string {
  const { name, options } = cookieOf(request.server.config)
  const token = knownBrowserToken(request) ?? newToken()
  reply.setCookie(name, token, { ...options, maxAge: LIFE })
  return token
}

/** null: this browser has left for no provider, or long ago, or keeps no cookies. */
export function knownBrowserToken(request: FastifyRequest): string | null {
  const token = request.cookies[cookieOf(request.server.config).name]
  return token === undefined || !/^[\w-]{43}$/.test(token) ? null : token
}

/** Lax: the browser sends it with the way back, which comes from the provider's site. */
function cookieOf({ baseUrl }: Config) {
  const isSecure = baseUrl.startsWith('https:')
  return {
    name: isSecure ? '__Host-sign-in-with' : 'sign-in-with',
    options: { path: '/', httpOnly: true, secure: isSecure, sameSite: 'lax' as const },
  }
}
