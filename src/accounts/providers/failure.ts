import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { NotPublic } from '../../web/guarded-fetch.ts'
import { page } from '../../web/page.ts'
import { pathWith, signInWithPath } from '../../web/paths.ts'
import type { Provider } from './provider.ts'

/**
 * Why somebody who left for a provider isn't signed in, with the status of the page that says so (accounts.with.failed.*); the log notes it.
 * - `down`: the provider can't be reached, or answers with something else
 * - `clock`: its time and ours differ
 * - `denied`: it let nobody in, perhaps as they chose
 * - `answer`: what it answered is not what it must be
 * - `used`, `expired`, `browser`: the way back was gone already, took too long, or began in another browser
 * - `domain`: its address is of no domain that is allowed here
 * - `subject`: it named somebody in a way that can't be kept
 * - `taken`: that account there is linked to another account here
 */
const FAILURE_STATUS = {
  down: 502,
  clock: 502,
  denied: 403,
  answer: 502,
  used: 410,
  expired: 410,
  browser: 400,
  domain: 403,
  subject: 502,
  taken: 409,
} as const
export type FailureReason = keyof typeof FAILURE_STATUS

/** What it comes from, where that can be told: providers.cause.* in the catalogues. */
export type FailureCause = 'address' | 'dns' | 'connection' | 'timeout' | 'tls' | 'status' | 'issuer'

export class ProviderFailure extends Error {
  readonly reason: FailureReason
  readonly causedBy: FailureCause | null
  readonly status: number

  constructor(reason: FailureReason, cause?: unknown) {
    super(`sign-in with a provider: ${reason}`, { cause })
    this.reason = reason
    const [last, codes] = [rootOf(cause), codesOf(cause)]
    this.status = typeof last === 'object' && last !== null && 'status' in last ? Number(last.status) : 0
    this.causedBy = causeIn(last, codes) ?? (this.status > 0 ? 'status' : null)
  }
}

/** Codes of Node and of openid-client, by what they come from. */
const CAUSES: readonly (readonly [FailureCause, RegExp])[] = [
  ['dns', /^(ENOTFOUND|EAI_\w+)$/],
  ['connection', /^(ECONNREFUSED|ECONNRESET|EPIPE|EHOSTUNREACH|ENETUNREACH)$/],
  ['timeout', /^(ETIMEDOUT|ABORT_ERR|OAUTH_TIMEOUT)$/],
  [
    'tls',
    /^(EPROTO|HOSTNAME_MISMATCH|(CERT|CRL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|INVALID_(CA|PURPOSE)|ERR_TLS|ERR_SSL)\w*)$/,
  ],
]

function causeIn(last: unknown, codes: readonly string[]): FailureCause | null {
  if (last instanceof NotPublic) return 'address'
  if (last instanceof Error && last.name === 'TimeoutError') return 'timeout'
  const compared = typeof last === 'object' && last !== null ? JSON.stringify(last) : ''
  if (codes.some((code) => /COMPARISON/.test(code)) && /"(attribute":"issuer|claim":"iss)"/.test(compared))
    return 'issuer'
  return CAUSES.find(([, pattern]) => codes.some((code) => pattern.test(code)))?.[0] ?? null
}

/** The innermost cause: an error of the network, or what was read where it was not as it must be. */
function rootOf(error: unknown): unknown {
  let at = error
  for (let depth = 0; at instanceof Error && at.cause !== undefined && depth < 10; depth += 1) at = at.cause
  return at
}

const CLOCK = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'
const DENIED = ['OAUTH_AUTHORIZATION_RESPONSE_ERROR']
/** Error codes of responses outside the protocol, mostly error pages. */
const DOWN = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
]

/** Turns an error of openid-client, or of the network below it, into a ProviderFailure. */
export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  const codes = codesOf(error)
  if (codes.includes(CLOCK)) return new ProviderFailure('clock', error)
  if (codes.some((code) => DENIED.includes(code))) return new ProviderFailure('denied', error)
  const isOfProtocol = codes.some((code) => code.startsWith('OAUTH_'))
  if (isOfProtocol && !codes.some((code) => DOWN.includes(code))) return new ProviderFailure('answer', error)
  return new ProviderFailure('down', error)
}

/** The codes of an error and of its causes: openid-client wraps what it throws. */
function codesOf(error: unknown): string[] {
  const codes: string[] = []
  for (let at = error; at instanceof Error && codes.length < 10; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') codes.push(at.code)
  }
  return codes
}

/**
 * Says why somebody isn't signed in; any other error is thrown on.
 * @param path where signing in was to lead
 */
export async function showFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  path: string,
  error: unknown,
) {
  if (!(error instanceof ProviderFailure)) throw error
  const { reason, causedBy } = error
  // Not the error itself, which may carry what the provider said of the person.
  const cause = causedBy === 'status' ? [causedBy, error.status] : causedBy === null ? [] : [causedBy]
  const why = [provider.name, reason, ...cause, ...codesOf(error)].join(' ')
  noteEvent(request, 'sign-in-refused', { way: 'provider', reason: why })
  return showReason(request, reply.code(FAILURE_STATUS[reason]), provider, path, error)
}

const showReason = page(
  'accounts/with-failure',
  {},
  ({ t, viewer }, { name, label }: Provider, path: string, { reason, causedBy, status }: ProviderFailure) => {
    const isSignedIn = viewer !== null
    // Not the way back in the masthead's link that is gone.
    const signInPath = pathWith('/sign-in', { next: path === '/' ? null : path })
    return {
      title: t(`accounts.with.failed.${reason}.title`),
      status: FAILURE_STATUS[reason],
      reason,
      // In a sentence; null: it isn't known.
      cause: causedBy === null ? null : t(`providers.cause.${causedBy}`, { status }),
      label,
      againPath: signInWithPath(name, path),
      // The other ways to sign in; for who is in already, where they were going.
      otherPath: isSignedIn ? path : signInPath,
      isSignedIn,
      signInPath,
    }
  },
)
