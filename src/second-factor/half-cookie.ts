import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { beginHalfSignIn, type HalfSignIn } from './half-sign-ins.ts'

/** Ten minutes, as half-sign-ins.ts ends one. */
const LIFE = 10 * 60

/** Remembers a right password or link until the code is there. Nobody is signed in yet. @returns false when it is void since */
export async function askForCode(
  request: FastifyRequest,
  reply: FastifyReply,
  half: HalfSignIn,
): Promise<boolean> {
  const token = await beginHalfSignIn(request.server.db, half)
  if (token === null) return false
  const { name, options } = cookieOf(request.server.config)
  reply.setCookie(name, token, { ...options, maxAge: LIFE })
  return true
}

/** The token of the half sign-in this browser is in; null: it is in none. */
export function halfSignInToken(request: FastifyRequest): string | null {
  return request.cookies[cookieOf(request.server.config).name] ?? null
}

export function forgetHalfSignIn(request: FastifyRequest, reply: FastifyReply): void {
  const { name, options } = cookieOf(request.server.config)
  reply.clearCookie(name, options)
}

function cookieOf({ baseUrl }: Config) {
  const isSecure = baseUrl.startsWith('https:')
  return {
    name: isSecure ? '__Host-half-sign-in' : 'half-sign-in',
    options: { path: '/', httpOnly: true, secure: isSecure, sameSite: 'lax' as const },
  }
}
