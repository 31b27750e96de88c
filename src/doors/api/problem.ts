import type { Message } from '../../messages/catalogue.ts'
import type { Problem, ProblemName } from '../../operations/problem.ts'
import { statusOf } from '../../web/problem-status.ts'

/** A field of the body, or a parameter of the address, and what is wrong with it. */
export interface Wrong {
  /** JSON Pointer (RFC 6901) into the body: `/title`. Either this or `parameter`. */
  readonly pointer?: string
  /** Name of a parameter of the address. */
  readonly parameter?: string
  readonly message: Message
  /** Never changes: what programs go by. */
  readonly code: string
}

/** Refusals that only programs meet. */
export type ApiProblemName =
  | 'unauthorized'
  | 'insufficientScope'
  | 'staffOnly'
  | 'personNeeded'
  | 'methodNotAllowed'
  | 'notAcceptable'
  | 'invalidParameter'
  | 'invalidJson'
  | 'unsupportedType'
  | 'preconditionRequired'
  | 'preconditionFailed'
  | 'keyReused'
  | 'keyInUse'
  | 'invalidKey'
  | 'conflict'

/** An answer other than what was asked for. `headers` go with it. */
export class ApiProblem extends Error {
  readonly status: number
  readonly key: ApiProblemName | ProblemName
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly Wrong[]
  /** What to do. */
  readonly detail: Message

  constructor(
    status: number,
    key: ApiProblemName | ProblemName,
    {
      headers = {},
      errors = [],
      detail = { key: `api.problem.${key}` },
    }: {
      readonly headers?: Readonly<Record<string, string>>
      readonly errors?: readonly Wrong[]
      readonly detail?: Message
    } = {},
  ) {
    super(key)
    this.status = status
    this.key = key
    this.headers = headers
    this.errors = errors
    this.detail = detail
  }
}

/** No token, or none that is valid (RFC 6750, 3). @param error undefined: none was sent */
export function unauthorized(error?: 'invalid_token'): ApiProblem {
  const challenge = error === undefined ? 'Bearer' : `Bearer error="${error}"`
  return new ApiProblem(401, 'unauthorized', { headers: { 'www-authenticate': challenge } })
}

export function insufficientScope(scope: string): ApiProblem {
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
  return new ApiProblem(403, 'insufficientScope', { headers: { 'www-authenticate': challenge } })
}

/** A parameter that cannot be what it says. @param name of the parameter */
export function invalidParameter(name: string): ApiProblem {
  const message = { key: 'api.invalid.parameter', values: { name } }
  return new ApiProblem(400, 'invalidParameter', {
    errors: [{ parameter: name, message, code: 'invalid_parameter' }],
  })
}

/** What staff decided: the page of the refusal says where, until when and why. */
const SAID_BY_PAGES: ReadonlySet<ProblemName> = new Set([
  'suspended',
  'closed',
  'keptPrivate',
  'handedOn',
  'alreadySuspended',
  'ownDecision',
])

/** The same of a refusal that pages know too. */
export function ofPage(problem: Problem): ApiProblem {
  const headers: Record<string, string> =
    problem.retryAfter === null ? {} : { 'retry-after': String(problem.retryAfter) }
  const detail = SAID_BY_PAGES.has(problem.key) ? { detail: problem.text } : {}
  return new ApiProblem(statusOf(problem), problem.key, { headers, ...detail })
}

/** `preconditionFailed` is `precondition_failed` in an answer: names of programs are snake_case. */
export function codeOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
