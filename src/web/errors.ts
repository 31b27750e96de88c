import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable, isUnstorable } from '../database/failures.ts'
import { noteEvent } from '../events/note.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { tokenOf } from './csrf.ts'
import { typedFields } from './form.ts'
import { languageOfRequest } from './language.ts'
import { notFound, Problem } from './problem.ts'
import { NeedsSignIn, sendToSignIn } from './sign-in-first.ts'

/** Characters of an address that the log has. */
const LONGEST_PATH = 500

/** Every failure becomes a page of the forum that says what to do next. Details go to the log, under the request's id. */
export function registerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler(async (request, reply) => showProblem(request, reply, notFound()))
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
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
      log(request, problem, error)
      return reply.redirect('/settings/second-factor', 303)
    }
    return showProblem(request, reply, problem, error)
  })
}

async function showProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  error: unknown = problem,
) {
  log(request, problem, error)
  const t = translatorOf(languageOfRequest(request))
  const fields = request.method === 'POST' ? Object.entries(typedFields(request.body)) : []
  if (problem.retryAfter !== null) reply.header('retry-after', String(problem.retryAfter))
  reply.header('cache-control', 'no-store')
  return reply.page(
    'errors/show',
    {
      title: t(problem.title.key),
      status: problem.status,
      heading: t(problem.title.key),
      text: t(problem.text.key),
      typed: fields.filter(([, value]) => value !== '').map(([name, value]) => ({ name, value })),
      resendPath: ['staleForm', 'tooOften', 'firstDay', 'unavailable'].includes(problem.key)
        ? request.url
        : null,
      token: problem.key === 'staleForm' ? null : tokenOf(request) || null,
      empty: fields.filter(([, value]) => value === '').map(([name]) => name),
    },
    { status: problem.status },
  )
}

/** Which page a failure deserves. Anything unknown is our mistake: 500, and the log has the rest. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isUnavailable(error)) return new Problem(503, 'unavailable', 5)
  if (isUnstorable(error)) return new Problem(400, 'badRequest')
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('FST_CSRF_')) return new Problem(403, 'staleForm')
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status === 413) return new Problem(413, 'tooLarge')
  if (status === 415) return new Problem(415, 'notAForm')
  if (status === 429) return new Problem(429, 'tooOften')
  if (status === 404) return notFound()
  if (status >= 400 && status < 500) return new Problem(status, 'badRequest')
  return new Problem(500, 'broken')
}

function log(request: FastifyRequest, problem: Problem, error: unknown): void {
  const path = (request.url.split('?')[0] ?? '/').slice(0, LONGEST_PATH)
  const { status, key } = problem
  const entry = { status, problem: key, path }
  if (status === 403) noteEvent(request, 'denied', { ...entry, address: request.ip })
  else if (status === 429)
    noteEvent(request, 'limited', {
      limit: request.routeOptions.config.limit ?? null,
      path,
      address: request.ip,
    })
  // What we refuse ourselves, as there is too much to do, has no cause to look for.
  else if (status >= 500) noteEvent(request, 'failed', entry, error === problem ? undefined : error)
  // The number on the page must lead somewhere whatever went wrong.
  else noteEvent(request, 'error-page', entry)
}
