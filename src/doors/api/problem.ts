import { z } from 'zod'
import type { Problem, ProblemName } from '../../kernel/problem.ts'
import type { Message } from '../../messages/catalogue.ts'
import { statusOf } from '../../web/errors.ts'
import type { InvalidParameter } from '../../web/json/endpoint.ts'
import { resource } from '../../web/json/resource.ts'

/** A field of the body, or a parameter of the address, and what is wrong with it. */
export interface Wrong {
  /** JSON Pointer (RFC 6901) into the body: `/title`. Either this or `parameter`. */
  readonly pointer?: string
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
  | 'invalidCondition'
  | 'invalidJson'
  | 'unknownMember'
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
  readonly detail: Message

  constructor(
    status: number,
    key: ApiProblemName | ProblemName,
    given: Partial<Pick<ApiProblem, 'headers' | 'errors' | 'detail'>> = {},
  ) {
    super(key)
    this.status = status
    this.key = key
    this.headers = given.headers ?? {}
    this.errors = given.errors ?? []
    this.detail = given.detail ?? { key: `api.problem.${key}` }
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

export function ofParameter({ parameter, why }: InvalidParameter): ApiProblem {
  const message = { key: `api.invalid.${why}`, values: { name: parameter } }
  return new ApiProblem(400, 'invalidParameter', {
    errors: [{ parameter, message, code: 'invalid_parameter' }],
  })
}

/** Members that are told: an answer is not much longer than what was sent. */
const MOST_MEMBERS = 20

/** Members of a body that the endpoint doesn't have, or that came twice. */
export function strangeMembers(names: readonly string[], why: 'unknownMember' | 'doubledMember'): ApiProblem {
  const errors = names.slice(0, MOST_MEMBERS).map((name) => ({
    pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    message: { key: `api.invalid.${why}` },
    code: 'unknown_member',
  }))
  return new ApiProblem(422, 'unknownMember', { errors })
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

export function ofPage(problem: Problem): ApiProblem {
  const headers: Record<string, string> =
    problem.retryAfter === null ? {} : { 'retry-after': String(problem.retryAfter) }
  const detail = SAID_BY_PAGES.has(problem.key) ? { detail: problem.text } : {}
  return new ApiProblem(statusOf(problem), problem.key, { headers, ...detail })
}

const wrong = z.object({
  pointer: z.string().optional(),
  parameter: z.string().optional(),
  detail: z.string(),
  code: z.string(),
})
/** RFC 9457. */
export const problemSchema = resource('Problem', {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  instance: z.string(),
  errors: z.array(wrong).optional(),
})
export type ProblemBody = z.input<typeof problemSchema>
