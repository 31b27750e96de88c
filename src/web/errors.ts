import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable, isUnstorable } from '../database/failures.ts'
import { noteEvent } from '../kernel/audit/note.ts'
import { NeedsSignIn, notFound, Problem, type ProblemName } from '../kernel/problem.ts'
import { NotDone } from '../text/thread/thread.ts'
import { translatorFor } from './appearance.ts'
import { tokenOf } from './csrf.ts'
import { typedFields } from './form.ts'
import { movedTo, securityPath } from './paths.ts'
import { sendToSignIn } from './sign-in-first.ts'
import { loggedPath } from './transport/log-serializers.ts'

/** Characters of an address that the log has. */
const MAX_PATH_LENGTH = 500
/** Characters of an address that the search on an error page begins with. */
const MAX_WORDS_LENGTH = 100

const ICONS: Readonly<Record<number, string>> = {
  403: 'lock',
  404: 'search',
  410: 'trash',
  429: 'clock',
  503: 'clock',
}

/** Waits that are told as "a few seconds". */
const A_FEW_SECONDS = 10

/** Fields of forms that have a name in the reader's language: errors.field.<name>. */
const LABELLED: ReadonlySet<string> = new Set(['title', 'body', 'tags', 'reason', 'q'])

/** What was chosen or came with the form, as codes: sent again with it, but nothing to read or copy. */
const CHOSEN: ReadonlySet<string> = new Set([
  'anonymous',
  'audience',
  'category',
  'course',
  'lecture',
  'status',
  'to',
  'value',
  'version',
  'view',
])

declare module 'fastify' {
  interface FastifyInstance {
    /** Where what isn't at the address of a request is now, for who asks; null: nowhere. */
    findMoved(request: FastifyRequest): Promise<string | null>
  }
}

/** Every failure becomes a page of the forum that says what to do next. Details go to the log, under the request's id. */
export function registerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler(async (request, reply) => showProblem(request, reply, notFound()))
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    if (isBrokenOff(request, error)) {
      noteEvent(request, 'form-broken-off', { path: pathOf(request) })
      // Nobody reads it.
      return reply.code(400).send('')
    }
    if (error instanceof NeedsSignIn) {
      try {
        return await sendToSignIn(request, reply)
      } catch (failure) {
        return showProblem(request, reply, problemOf(failure), failure)
      }
    }
    const problem = problemOf(error)
    // What they may not do, they may once they have a second factor.
    if (problem.key === 'forbidden' && request.person?.owesSecondFactor === true) {
      logProblem(request, { status: statusOf(problem), key: problem.key }, error)
      return reply.redirect(securityPath('second-factor'), 303)
    }
    return (await leadOn(request, reply, problem)) ?? showProblem(request, reply, problem, error)
  })
}

/** Leads to where what isn't found is now: a write is sent again there. @returns null: it isn't anywhere else */
export async function leadOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { key }: { readonly key: string },
) {
  const path = key === 'notFound' ? await request.server.findMoved(request) : null
  if (path === null) return null
  if (request.method === 'GET' || request.method === 'HEAD') return movedTo(request, reply, path)
  return reply.header('cache-control', 'no-cache').redirect(path, 308)
}

export async function showProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  error: unknown = problem,
) {
  const status = statusOf(problem)
  logProblem(request, { status, key: problem.key }, error)
  const t = translatorFor(request)
  const { smtpUrl } = request.server.config
  const fields = request.method === 'POST' ? Object.entries(typedFields(request.body)) : []
  if (problem.retryAfter !== null) reply.header('retry-after', String(problem.retryAfter))
  reply.code(status).header('cache-control', 'no-store')
  return reply.page('errors/show', {
    title: t(problem.title.key),
    status,
    text: t(problem.text.key, problem.text.values),
    // When trying again makes sense; null: nobody knows.
    again: problem.retryAfter === null ? null : t('errors.again', { minutes: minutesOf(problem.retryAfter) }),
    icon: ICONS[status] ?? 'x',
    // To search for instead: of the address.
    words: ['notFound', 'gone'].includes(problem.key) ? wordsOf(request.url) : null,
    // A course may be there for those who were invited, once their address is confirmed, which takes a mail
    // server: as of any that isn't.
    mayWait: problem.key === 'notFound' && /^\/courses\/[^/]/.test(request.url) && smtpUrl !== null,
    // So that it can be copied or sent again, with fields that were sent empty.
    typed: fields
      .filter(([, value]) => value !== '')
      .map(([name, value]) => ({
        name,
        value,
        label: LABELLED.has(name) ? t(`errors.field.${name}`) : name,
        isChosen: CHOSEN.has(name),
      })),
    resendPath: ['staleForm', 'tooOften', 'firstDay', 'unavailable'].includes(problem.key)
      ? request.url
      : null,
    // The one it came with, so that a form posted after all is not posted twice; null: it needs a new one.
    token: problem.key === 'staleForm' ? null : tokenOf(request) || null,
    empty: fields.filter(([, value]) => value === '').map(([name]) => name),
  })
}

/** Whole minutes until trying again makes sense; 0: a few seconds. */
function minutesOf(seconds: number): number {
  return seconds <= A_FEW_SECONDS ? 0 : Math.ceil(seconds / 60)
}

/** The words after an id in an address: `/questions/9/what-is-rest` looks for "what is rest". */
function wordsOf(url: string): string {
  const slug = /^\/(?:questions|people)\/\d+\/([^/?.]+)(?:\?|$)/.exec(url)?.[1] ?? ''
  return decoded(slug)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS_LENGTH)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

/** Which page a failure deserves. Anything unknown is our mistake: 500, and the log has the rest. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isUnavailable(error) || error instanceof NotDone) return new Problem('unavailable', 5)
  if (isUnstorable(error)) return new Problem('badRequest')
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  // A disk of ours without room, wherever something is written.
  if (code === 'ENOSPC' || code === 'EDQUOT') return new Problem('unavailable', 30)
  if (code.startsWith('FST_CSRF_')) return new Problem('staleForm')
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status === 413) return new Problem('tooLarge')
  if (status === 415) return new Problem('notAForm')
  if (status === 429) return new Problem('tooOften')
  if (status === 404) return notFound()
  if (status >= 400 && status < 500) return new Problem('badRequest')
  return new Problem('broken')
}

/** Whether the client hung up before its body was there: reset connections of the database have the same code. */
function isBrokenOff({ raw }: FastifyRequest, error: FastifyError): boolean {
  return error.code === 'ECONNRESET' && raw.destroyed && raw.complete === false
}

function pathOf(request: FastifyRequest): string {
  const { originalUrl: url, routeOptions } = request
  return loggedPath({ url, routeOptions }).slice(0, MAX_PATH_LENGTH)
}

/** Notes what was refused, or failed, under the request's id. @param error what was thrown: `problem` itself where we refuse */
export function logProblem(
  request: FastifyRequest,
  problem: { readonly status: number; readonly key: string },
  error: unknown,
): void {
  const { status, key } = problem
  const { url: route } = request.routeOptions
  // What isn't there has a name that somebody typed, such as a tag's.
  const path = status === 404 && route !== undefined ? route : pathOf(request)
  const entry = { status, problem: key, path }
  if (status === 403) noteEvent(request, 'denied', entry)
  else if (status === 429)
    noteEvent(request, 'limited', {
      limit: request.routeOptions.config.limit ?? null,
      path,
    })
  // What we refuse ourselves, as there is too much to do, has no cause to look for.
  else if (status >= 500) noteEvent(request, 'failed', entry, error === problem ? undefined : error)
  // The number on the page must lead somewhere whatever went wrong.
  else noteEvent(request, 'error-page', entry)
}

const STATUS: Readonly<Record<ProblemName, number>> = {
  badRequest: 400,
  forbidden: 403,
  leaving: 403,
  archived: 403,
  suspended: 403,
  closed: 403,
  keptPrivate: 403,
  ownDecision: 403,
  staleForm: 403,
  foreignForm: 403,
  notFound: 404,
  tooSlow: 408,
  handedOn: 409,
  alreadySuspended: 409,
  gone: 410,
  tooLarge: 413,
  notAForm: 415,
  invalid: 422,
  unanswered: 422,
  tooOften: 429,
  firstDay: 429,
  broken: 500,
  unavailable: 503,
}

/** The HTTP status of a problem (RFC 9110, 15). */
export const statusOf = ({ key }: Pick<Problem, 'key'>): number => STATUS[key]
