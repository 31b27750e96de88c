import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config } from '../../config.ts'

/** @param forms where forms of the page may lead, by way of redirects as well */
const policyOf = (forms: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    `form-action ${forms}`,
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const POLICY = policyOf("'self'")

/** Lets the forms of one page lead to another origin, which is checked: browsers stop a redirect to any other. */
export function leadFormsTo(reply: FastifyReply, origin: string): void {
  reply.header('content-security-policy', policyOf(`'self' ${origin}`))
}

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
type PublicAddress = Pick<Config, 'baseUrl' | 'hsts'>

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

/** What a proxy writes, each of several one after the other, when nobody on the way had TLS. */
const PLAIN = /^\s*http\s*(?:,\s*http\s*)*$/i

/**
 * Sends who asked the proxy in front of us by plain http to the same address by https, as HSTS counts only there. Whoever
 * asks us directly, as health checks do, tells nothing of a proxy and is answered. It needs no trust in the header: at worst
 * somebody sends themselves to the public address. Before all that answers from a cache.
 */
export function registerHttpsOnly(app: FastifyInstance, config: PublicAddress): void {
  const { baseUrl } = config
  if (!baseUrl.startsWith('https:')) return
  app.addHook('onRequest', async (request, reply) => {
    if (!isPlain(request.headers)) return
    const path = request.url.startsWith('/') ? request.url : '/'
    // 308: a form stays a form.
    return reply
      .headers(headersOf(config))
      .header('cache-control', 'no-store')
      .redirect(`${baseUrl}${path}`, 308)
  })
}

/** Whether somebody asked the proxy in front of us by plain http. */
export function isPlain({ 'x-forwarded-proto': protocol }: IncomingHttpHeaders): boolean {
  return typeof protocol === 'string' && PLAIN.test(protocol)
}

/**
 * `Prefer: return=minimal` (RFC 7240): a script that posts a form is told where the answer leads, 204 with
 * `location` instead of 303. It opens that page itself, which then has the flash message; fetch would follow
 * and take it.
 */
export function registerMinimalAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode !== 303 || request.headers.prefer !== 'return=minimal') return payload
    reply.code(204).header('preference-applied', 'return=minimal').removeHeader('content-length')
    return null
  })
}
