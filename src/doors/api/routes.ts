import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { KeptTokens } from '../../accounts/tokens/access.ts'
import { CaseChanged } from '../../forum/cases/decision.ts'
import { TakenMeanwhile } from '../../forum/desk/assignment.ts'
import { CursorExpired } from '../../forum/events/cursor.ts'
import { EditedMeanwhile, NeedsSignIn, Refused } from '../../kernel/problem.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { acceptedLanguage } from '../../web/appearance.ts'
import { leadOn, logProblem, problemOf } from '../../web/errors.ts'
import { bodyTypes, type Call, type Endpoint, InvalidParameter } from '../../web/json/endpoint.ts'
import { codeOf } from '../../web/json/resource.ts'
import { MemoryCounter } from '../../web/limits/limits.ts'
import { UNREADABLE_API } from '../../web/transport/addresses.ts'
import { apiTypeOf, asksForStream } from '../../web/transport/api-types.ts'
import { keepHeadersOfFile } from '../../web/transport/headers.ts'
import { STATUS_CODES } from '../../web/transport/node-http.ts'
import { registerAccess, registerLimit, requireScope } from './access.ts'
import { answer } from './answering.ts'
import { requireReadable } from './conditions.ts'
import { showDocumentation } from './documentation.ts'
import { ENDPOINTS } from './endpoints.ts'
import { registerEventStreams } from './event-streams.ts'
import { openApi } from './openapi.ts'
import { ApiProblem, fieldCodeOf, ofPage, ofParameter, type ProblemBody, unauthorized } from './problem.ts'
import { isDeprecated, readBody, readQuery, registerBodies, sentName } from './sent.ts'
import { registerUploads } from './uploads.ts'
import { write } from './writing.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For programs: no page, no cookies. */
    isApi?: boolean
  }
}

/** CORS for pages of any origin. Never with credentials. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Accept-Patch, Deprecation, ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After',
}
const PREFLIGHT = {
  'access-control-allow-headers':
    'Accept, Accept-Language, Authorization, Content-Type, Idempotency-Key, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since, Last-Event-ID',
  'access-control-max-age': '7200',
}
/** Since when the name `anonymous` is deprecated, 2026-11-29 (RFC 9745). It stays, so that there is no Sunset. */
const ANONYMOUS_DEPRECATED = `@${Date.UTC(2026, 10, 29) / 1000}`
/** Request headers that responses vary by. */
const VARY = 'accept, accept-language, authorization'
/** RFC 5789, 3.1. */
const ACCEPT_PATCH = { 'accept-patch': bodyTypes('PATCH').join(', ') }
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const SENT_METHODS: ReadonlySet<string> = new Set([...METHODS, 'OPTIONS'])

/** `/api/v1`: the forum for programs. Cookies are taken away before anything reads them (withoutCookies). */
export async function registerApi(app: FastifyInstance): Promise<void> {
  app.get('/api', async (request, reply) => showDocumentation(request, reply))
  app.decorate('apiRequests', new MemoryCounter())
  app.decorate('apiTokens', new KeptTokens(app.db, app.changes))
  registerEventStreams(app)
  await app.register(
    async (scope) => {
      registerProblems(scope)
      registerBodies(scope)
      scope.addHook('onRequest', async (request, reply) => {
        keepHeadersOfFile(reply)
        reply.headers({ ...CORS, vary: VARY })
        // A response to a token is for one person: no cache keeps it.
        const isPersonal = request.headers.authorization !== undefined
        reply.header('cache-control', isPersonal ? 'private, no-store' : 'no-cache')
      })
      registerAccess(scope)
      registerLimit(scope)
      scope.addHook('onRequest', async (request) => {
        if (request.url === UNREADABLE_API) throw new ApiProblem('badRequest')
        if (!SENT_METHODS.has(request.method)) throw methodUnknown(request)
        requireReadable(request)
      })
      for (const endpoint of ENDPOINTS) {
        if (endpoint.body?.hasFile === true)
          registerUploads(scope, (inner) => registerEndpoint(inner, endpoint))
        else registerEndpoint(scope, endpoint)
      }
      const description = JSON.stringify(openApi(app.config.baseUrl))
      scope.get('/v1/openapi.json', { config: { isApi: true } }, async (request, reply) => {
        readQuery(request, { query: null })
        return reply.type('application/json; charset=utf-8').send(description)
      })
      refuseOthers(scope)
    },
    { prefix: '/api' },
  )
}

function registerEndpoint(scope: FastifyInstance, endpoint: Endpoint): void {
  const { method, path, shared, limit, stream } = endpoint
  const isStream = (request: FastifyRequest) => stream !== undefined && asksForStream(request)
  const config = {
    ...{ isApi: true, isFromAnywhere: true },
    ...(shared !== null && { shared }),
    ...(limit !== null && { limit }),
  }
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (method === 'PATCH') reply.headers(ACCEPT_PATCH)
    const isRead = endpoint.answer.kind === 'one' || endpoint.answer.kind === 'list'
    if (isRead && !isStream(request) && apiTypeOf(request) === null) throw new ApiProblem('notAcceptable')
    requireScope(request, endpoint)
  }
  scope.route({
    method,
    url: `/v1${path === '/' ? '' : path}`,
    config,
    onRequest,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      if (isDeprecated(request, endpoint)) {
        const link = `<${request.server.config.baseUrl}/api#deprecated>; rel="deprecation"; type="text/html"`
        reply.headers({ deprecation: ANONYMOUS_DEPRECATED, link })
      }
      const call: Call = {
        ...{ request, query: readQuery(request, endpoint), body: readBody(request, endpoint) },
        write: (door) => write(call, door),
      }
      if (isStream(request)) return stream?.(call, reply)
      return answer(request, reply, endpoint, await endpoint.handle(call))
    },
  })
}

/** What no endpoint does anywhere, such as PROPFIND, has no routes. @returns 405 where there is an endpoint, otherwise 404 */
function methodUnknown({ url }: FastifyRequest): ApiProblem {
  const [path = ''] = url.split('?')
  const allowed = ALLOWED.find(({ pattern }) => pattern.test(path))
  return allowed === undefined ? new ApiProblem('notFound') : notAllowed(allowed.allow)
}

const notAllowed = (allow: string) => new ApiProblem('methodNotAllowed', { headers: { allow } })

/** What can be done at each address, by a pattern of the address. */
const ALLOWED = [
  ...Map.groupBy([...ENDPOINTS, { method: 'GET', path: '/openapi.json' } as const], ({ path }) => path),
].map(([path, known]) => {
  const url = `/v1${path === '/' ? '' : path}`
  const methods = known.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const pattern = new RegExp(`^/api${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}/?$`)
  return { url, methods, pattern, allow: [...methods, 'OPTIONS'].join(', ') }
})

/** Answers what no endpoint does there: 405 with those that are (RFC 9110, 15.5.6), and what browsers ask before they send. */
function refuseOthers(scope: FastifyInstance): void {
  for (const { url, methods, allow } of ALLOWED) {
    const refuse = async () => {
      throw notAllowed(allow)
    }
    const others = METHODS.filter((method) => !methods.includes(method))
    const config = { isApi: true, isFromAnywhere: true }
    scope.route({ method: [...others], url, config, onRequest: refuse, handler: refuse })
    scope.options(url, { config }, async (_request, reply) =>
      reply
        .code(204)
        .headers({ ...PREFLIGHT, allow, 'access-control-allow-methods': allow })
        .headers(methods.includes('PATCH') ? ACCEPT_PATCH : {})
        .send(),
    )
  }
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** Every failure below `/api/` is a problem (RFC 9457), in the language of Accept-Language. Details go to the log. */
export function registerProblems(scope: FastifyInstance): void {
  scope.setNotFoundHandler(async (request, reply) => sendProblem(request, reply, new ApiProblem('notFound')))
  scope.setErrorHandler(async (error: FastifyError, request, reply) => {
    const problem = apiProblemOf(error, request)
    return (await leadOn(request, reply, problem)) ?? sendProblem(request, reply, problem, error)
  })
}

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: ApiProblem,
  error: unknown = problem,
) {
  const { status, key, headers, errors, detail, oldest } = problem
  const code = codeOf(key)
  logProblem(request, { status, key }, error)
  const t = translatorOf(acceptedLanguage(request))
  const body: ProblemBody = {
    type: `${request.server.config.baseUrl}/api#problem-${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: t(detail.key, detail.values),
    code,
    instance: `urn:uuid:${request.id}`,
    ...(errors.length > 0 && {
      errors: errors.map(({ message, ...wrong }) => ({ ...wrong, detail: t(message.key, message.values) })),
    }),
    ...(oldest !== undefined && { oldest }),
  }
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store', 'content-language': acceptedLanguage(request) })
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(body))
}

function refusedFields(request: FastifyRequest, { errors }: Refused): ApiProblem {
  return new ApiProblem('invalid', {
    errors: errors.map(({ field, message: { key, values = {} } }) => ({
      pointer: `/${sentName(request, field)}`,
      // A value of another type than the field takes: a form would have sent it twice.
      ...(key === 'forms.repeated'
        ? { message: { key: 'api.invalid.field' }, code: 'invalid' }
        : { message: { key, values }, code: fieldCodeOf(key) }),
    })),
  })
}

function apiProblemOf(error: FastifyError, request: FastifyRequest): ApiProblem {
  const { person } = request
  if (error instanceof ApiProblem) return error
  if (error instanceof InvalidParameter) return ofParameter(error)
  if (error instanceof CursorExpired) return new ApiProblem('cursorExpired', { oldest: error.oldest })
  if (error instanceof Refused) return refusedFields(request, error)
  if (error instanceof EditedMeanwhile) return new ApiProblem('preconditionFailed')
  if (error instanceof TakenMeanwhile || error instanceof CaseChanged) return new ApiProblem('conflict')
  // With a token somebody is known, and may not do this as a visitor elsewhere could not either.
  if (error instanceof NeedsSignIn) return person === null ? unauthorized() : new ApiProblem('forbidden')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiProblem('unsupportedType')
  const problem = problemOf(error)
  if (problem.key === 'notAForm') return new ApiProblem('unsupportedType')
  // What Fastify refuses otherwise keeps its status: pages tell all of it alike.
  return problem.key === 'badRequest'
    ? new ApiProblem('badRequest', { status: error.statusCode ?? 400 })
    : ofPage(problem)
}
