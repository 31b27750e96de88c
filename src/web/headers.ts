import type { FastifyInstance } from 'fastify'

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

/** Two years, as the preload list asks (hstspreload.org). */
const HSTS = 'max-age=63072000; includeSubDomains'

/** Headers of every answer, errors and assets included (OWASP ASVS 5.0, chapter 3.4). */
export function registerHeaders(app: FastifyInstance, baseUrl: string): void {
  const headers = headersOf(baseUrl)
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers)
  })
}

/** Those of a forum at this address. */
export function headersOf(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? { ...HEADERS, 'strict-transport-security': HSTS } : HEADERS
}
