import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/**
 * The name and options of a cookie that no script reads. Over https `__Host-` binds it to this host, path and
 * scheme (RFC 6265bis, 4.1.3.2).
 */
export function cookieOf(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  name: string,
  sameSite: 'lax' | 'strict' = 'lax',
) {
  const secure = baseUrl.startsWith('https:')
  const options = { path: '/', httpOnly: true, secure, sameSite }
  return { name: secure ? `__Host-${name}` : name, options }
}

/**
 * Sets a cookie that only this forum can have made, and only for this name: the name is part of what is signed, so the
 * value of one cookie is worth nothing as that of another. The only way to sign a cookie here.
 */
export function setSignedCookie(
  reply: FastifyReply,
  name: string,
  value: string,
  options: CookieSerializeOptions,
): FastifyReply {
  return reply.setCookie(name, `${name}=${value}`, { ...options, signed: true })
}

/** The value that setSignedCookie gave the cookie of this name; null: there is none, or it is not ours for this name. */
export function signedCookieOf(request: FastifyRequest, name: string): string | null {
  const cookie = request.cookies[name]
  if (cookie === undefined) return null
  const { valid, value } = request.unsignCookie(cookie)
  const prefix = `${name}=`
  return valid && value?.startsWith(prefix) === true ? value.slice(prefix.length) : null
}
