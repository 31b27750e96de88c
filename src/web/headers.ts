import type { FastifyInstance, FastifyReply } from 'fastify'
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

/** Headers of every answer but files (`keepHeadersOfFile`). */
export const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** What only documents heed: a first visit carries five files with 270 bytes of it each. */
const FOR_DOCUMENTS = ['x-frame-options', 'cross-origin-opener-policy', 'permissions-policy'] as const

/** Should a browser be led to open a file by itself, it may load nothing and be framed by nobody. */
const FILE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Leaves an answer that is a stylesheet, a module or a picture the headers that mean something there. */
export function keepHeadersOfFile(reply: FastifyReply): void {
  for (const name of FOR_DOCUMENTS) reply.removeHeader(name)
  reply.header('content-security-policy', FILE_POLICY)
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
