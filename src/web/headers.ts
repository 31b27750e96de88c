import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every answer, whatever it is. */
export const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** What the headers depend on. */
export type PublicAddress = Pick<Config, 'baseUrl' | 'hsts'>

/** Headers of every answer, errors and assets included (OWASP ASVS 5.0, chapter 3.4). */
export function registerHeaders(app: FastifyInstance, config: PublicAddress): void {
  const headers = headersOf(config)
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers)
  })
}

/** Those of a forum at this address. Over plain http browsers ignore HSTS (RFC 6797, section 8.1). */
export function headersOf({ baseUrl, hsts }: PublicAddress): Readonly<Record<string, string>> {
  const isHttps = baseUrl.startsWith('https:')
  return isHttps && hsts !== null ? { ...HEADERS, 'strict-transport-security': hsts } : HEADERS
}
