import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AGENT_SCOPES, type AgentScope } from '../../accounts/apps/agent-access.ts'
import { translatorFor } from '../../web/appearance.ts'
import { logProblem, problemOf, statusOf } from '../../web/errors.ts'

/** Refusals of a request as a whole, with their statuses and their codes in JSON-RPC. What a tool refuses is its result. */
const KINDS = {
  off: [404, -32601],
  noStream: [404, -32601],
  notAllowed: [405, -32000],
  host: [403, -32000],
  origin: [403, -32000],
  unauthorized: [401, -32000],
  insufficientScope: [403, -32000],
  badRequest: [400, -32600],
  invalidJson: [400, -32700],
  unsupportedType: [415, -32000],
  tooLarge: [413, -32000],
  tooOften: [429, -32000],
  unavailable: [503, -32603],
  broken: [500, -32603],
} as const

interface Challenge {
  readonly error?: 'invalid_token' | 'insufficient_scope'
  /** What is asked for; left out: all there is. */
  readonly scopes?: readonly AgentScope[]
}

export class AgentProblem extends Error {
  readonly key: keyof typeof KINDS
  readonly challenge: Challenge | null
  readonly headers: Readonly<Record<string, string>>

  constructor(
    key: AgentProblem['key'],
    { challenge = null, headers = {} }: Partial<Pick<AgentProblem, 'challenge' | 'headers'>> = {},
  ) {
    super(key)
    this.key = key
    this.challenge = challenge
    this.headers = headers
  }
}

/** Every failure is an error of JSON-RPC. Details go to the log. */
export function registerProblems(scope: FastifyInstance): void {
  scope.setErrorHandler(async (error: FastifyError, request, reply) => {
    const problem = agentProblemOf(error, reply)
    return sendProblem(request, reply, problem, error)
  })
}

export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { key, challenge, headers }: AgentProblem,
  error: unknown,
) {
  const [status, code] = KINDS[key]
  logProblem(request, { status, key }, error)
  if (challenge !== null) reply.header('www-authenticate', challengeOf(request, challenge))
  const message = translatorFor(request)(`agents.problem.${key}`)
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))
}

/** RFC 6750, 3 and RFC 9728, 5.1: where to get a token, and for what. */
function challengeOf({ server }: FastifyRequest, { error, scopes = AGENT_SCOPES }: Challenge): string {
  const metadata = `${server.config.baseUrl}/.well-known/oauth-protected-resource/mcp`
  const why = error === undefined ? '' : `error="${error}", `
  return `Bearer ${why}resource_metadata="${metadata}", scope="${scopes.join(' ')}"`
}

function agentProblemOf(error: FastifyError, reply: FastifyReply): AgentProblem {
  if (error instanceof AgentProblem) return error
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new AgentProblem('unsupportedType')
  const problem = problemOf(error)
  if (problem.retryAfter !== null) reply.header('retry-after', String(problem.retryAfter))
  const status = statusOf(problem)
  if (problem.key === 'notAForm') return new AgentProblem('unsupportedType')
  if (problem.key === 'tooLarge' || problem.key === 'tooOften' || problem.key === 'unavailable')
    return new AgentProblem(problem.key)
  return new AgentProblem(status < 500 ? 'badRequest' : 'broken')
}
