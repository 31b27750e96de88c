import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { beginHalfSignIn, findHalfSignIn, type HalfSignIn } from './half-sign-ins.ts'

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

/** The half sign-in this browser is in, and its token; null: it is in none, or it has ended. */
export async function halfSignInOf(
  request: FastifyRequest,
): Promise<{ readonly token: string; readonly half: HalfSignIn } | null> {
  const { db, config } = request.server
  const token = request.cookies[cookieOf(config).name]
  if (token === undefined) return null
  const half = await findHalfSignIn(db, token)
  return half === null ? null : { token, half }
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
