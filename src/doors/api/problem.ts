import { z } from 'zod'
import type { Problem, ProblemName } from '../../kernel/problem.ts'
import type { Message } from '../../messages/catalogue.ts'
import { statusOf } from '../../web/errors.ts'
import type { InvalidParameter } from '../../web/json/endpoint.ts'
import { codeOf, resource, url } from '../../web/json/resource.ts'

/** A field of the body, or a parameter of the address, and what is wrong with it. */
export interface Wrong {
  /** JSON Pointer (RFC 6901) into the body: `/title`. Either this or `parameter`. */
  readonly pointer?: string
  readonly parameter?: string
  readonly message: Message
  /** Never changes: what programs go by. */
  readonly code: string
}

/** Refusals that only programs meet, with their statuses. */
const OWN = {
  unauthorized: 401,
  insufficientScope: 403,
  personNeeded: 403,
  methodNotAllowed: 405,
  notAcceptable: 406,
  invalidParameter: 400,
  invalidCondition: 400,
  invalidJson: 400,
  invalidKey: 400,
  unknownMember: 422,
  unsupportedType: 415,
  preconditionRequired: 428,
  preconditionFailed: 412,
  keyReused: 422,
  keyInUse: 409,
  conflict: 409,
  cursorExpired: 410,
} as const

/** Refusals of forms that programs meet, too. All others are told as a bad request, of which there is none. */
const SHARED = [
  ...(['badRequest', 'forbidden', 'suspended', 'leaving', 'archived', 'closed', 'keptPrivate'] as const),
  ...(['ownDecision', 'notFound', 'tooSlow', 'gone', 'tooLarge', 'invalid', 'unanswered'] as const),
  ...(['tooOften', 'firstDay', 'broken', 'unavailable'] as const),
] satisfies readonly ProblemName[]

export type ApiProblemName = keyof typeof OWN | (typeof SHARED)[number]

const isOwn = (key: ApiProblemName): key is keyof typeof OWN => Object.hasOwn(OWN, key)
const isShared = (key: ProblemName): key is (typeof SHARED)[number] => SHARED.some((one) => one === key)
const statusOfName = (key: ApiProblemName) => (isOwn(key) ? OWN[key] : statusOf({ key }))

/** All refusals, by status: their codes never change. */
export const PROBLEMS = [...(Object.keys(OWN) as (keyof typeof OWN)[]), ...SHARED]
  .map((key) => ({ key, code: codeOf(key), status: statusOfName(key) }))
  .sort((one, other) => one.status - other.status)

/** An answer other than what was asked for. `headers` go with it. */
export class ApiProblem extends Error {
  readonly status: number
  readonly key: ApiProblemName
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly Wrong[]
  readonly detail: Message
  readonly oldest: string | undefined

  constructor(
    key: ApiProblemName,
    given: Partial<Pick<ApiProblem, 'status' | 'headers' | 'errors' | 'detail' | 'oldest'>> = {},
  ) {
    super(key)
    this.status = given.status ?? statusOfName(key)
    this.key = key
    this.headers = given.headers ?? {}
    this.errors = given.errors ?? []
    this.detail = given.detail ?? { key: `api.problem.${key}` }
    this.oldest = given.oldest
  }
}

/** No token, or none that is valid (RFC 6750, 3). @param error undefined: none was sent */
export function unauthorized(error?: 'invalid_token'): ApiProblem {
  const challenge = error === undefined ? 'Bearer' : `Bearer error="${error}"`
  return new ApiProblem('unauthorized', { headers: { 'www-authenticate': challenge } })
}

export function insufficientScope(scope: string): ApiProblem {
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
  return new ApiProblem('insufficientScope', { headers: { 'www-authenticate': challenge } })
}

export function ofParameter({ parameter, why }: InvalidParameter): ApiProblem {
  const message = { key: `api.invalid.${why}`, values: { name: parameter } }
  return new ApiProblem('invalidParameter', {
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
  return new ApiProblem('unknownMember', { errors })
}

/** What staff decided: the page of the refusal says where, until when and why. */
const SAID_BY_PAGES: ReadonlySet<ProblemName> = new Set(['suspended', 'closed', 'keptPrivate', 'ownDecision'])

export function ofPage(problem: Problem): ApiProblem {
  const headers: Record<string, string> =
    problem.retryAfter === null ? {} : { 'retry-after': String(problem.retryAfter) }
  const { key } = problem
  if (!isShared(key)) return new ApiProblem('badRequest', { status: statusOf(problem), headers })
  return new ApiProblem(key, { headers, ...(SAID_BY_PAGES.has(key) && { detail: problem.text }) })
}

/** What can be wrong with a field or a parameter: the end of its message's key, or a name of ours. */
export const FIELD_CODES = [
  ...['invalid', 'invalid_parameter', 'unknown_member', 'two_names', 'forbidden', 'choice', 'missing'],
  ...['short', 'long', 'too_short', 'too_long', 'wrong', 'many', 'links', 'mentions', 'unknown'],
  ...['off', 'staff', 'late', 'day', 'full', 'private', 'itself', 'public', 'anonymous', 'asker', 'case'],
  ...['archived', 'under', 'accepted', 'endorsed', 'no_measure', 'unknown_measure', 'not_everywhere'],
  ...['empty', 'kind', 'broken', 'size', 'frames'],
]

/** @param key of what is wrong with a field */
export function fieldCodeOf(key: string): string {
  const code = codeOf(key)
  return FIELD_CODES.includes(code) ? code : 'invalid'
}

const wrong = z.object({
  pointer: z.string().optional(),
  parameter: z.string().optional(),
  detail: z.string(),
  code: z.enum(FIELD_CODES),
})
/** RFC 9457. */
export const problemSchema = resource('Problem', {
  type: url,
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(PROBLEMS.map(({ code }) => code)),
  instance: z.string(),
  errors: z.array(wrong).optional(),
  oldest: z.string().optional(),
})
export type ProblemBody = z.input<typeof problemSchema>
