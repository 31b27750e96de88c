import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CaseChanged } from '../../forum/cases/decide.ts'
import { TakenMeanwhile } from '../../forum/desk/assignment.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { EditedMeanwhile, NeedsSignIn, Refused } from '../../operations/problem.ts'
import { logProblem, problemOf } from '../../web/errors.ts'
import { acceptedLanguage } from '../../web/language.ts'
import { STATUS_CODES } from '../../web/node-http.ts'
import { ApiProblem, codeOf, ofPage, unauthorized } from './problem.ts'
import type { ProblemBody } from './schemas/problem.ts'
import { sentName } from './sent.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** Every failure below `/api/` is a problem (RFC 9457), in the language of Accept-Language. Details go to the log. */
export function registerProblems(scope: FastifyInstance): void {
  scope.setNotFoundHandler(async (request, reply) =>
    sendProblem(request, reply, new ApiProblem(404, 'notFound')),
  )
  scope.setErrorHandler(async (error: FastifyError, request, reply) =>
    sendProblem(request, reply, apiProblemOf(error, request), error),
  )
}

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: ApiProblem,
  error: unknown = problem,
) {
  const { status, key, headers, errors, detail } = problem
  logProblem(request, { status, key }, error)
  const t = translatorOf(acceptedLanguage(request))
  const body: ProblemBody = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: t(detail.key, detail.values),
    code: codeOf(key),
    instance: `urn:uuid:${request.id}`,
    ...(errors.length > 0 && {
      errors: errors.map(({ message, ...wrong }) => ({ ...wrong, detail: t(message.key, message.values) })),
    }),
  }
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store', 'content-language': acceptedLanguage(request) })
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(body))
}

function refusedFields(request: FastifyRequest, { errors }: Refused): ApiProblem {
  return new ApiProblem(422, 'invalid', {
    errors: errors.map(({ field, message }) => ({
      pointer: `/${sentName(request, field)}`,
      // A value of another type than the field takes: a form would have sent it twice.
      message: message.key === 'forms.repeated' ? { key: 'api.invalid.field' } : message,
      code:
        message.key === 'forms.repeated'
          ? 'invalid'
          : codeOf(message.key.slice(message.key.lastIndexOf('.') + 1)),
    })),
  })
}

function apiProblemOf(error: FastifyError, request: FastifyRequest): ApiProblem {
  const { person } = request
  if (error instanceof ApiProblem) return error
  if (error instanceof Refused) return refusedFields(request, error)
  if (error instanceof EditedMeanwhile) return new ApiProblem(412, 'preconditionFailed')
  if (error instanceof TakenMeanwhile || error instanceof CaseChanged) return new ApiProblem(409, 'conflict')
  // With a token somebody is known, and may not do this as a visitor elsewhere could not either.
  if (error instanceof NeedsSignIn) return person === null ? unauthorized() : new ApiProblem(403, 'forbidden')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiProblem(415, 'unsupportedType')
  const problem = problemOf(error)
  if (problem.key === 'notAForm') return new ApiProblem(415, 'unsupportedType')
  // What Fastify refuses otherwise keeps its status: pages tell all of it alike.
  return problem.key === 'badRequest'
    ? new ApiProblem(error.statusCode ?? 400, 'badRequest')
    : ofPage(problem)
}
