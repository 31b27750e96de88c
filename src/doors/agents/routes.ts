import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { letsAgentsIn } from '../../kernel/rights/agents.ts'
import { queryParam } from '../../web/params.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { keepHeadersOfFile } from '../../web/transport/headers.ts'
import { agentsOf, type KnownAgent } from './access.ts'
import { type Message, readMessage, takeMessages } from './message.ts'
import { AgentProblem, registerProblems } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the agent of a request acts for; null: for no one, without a token. */
    agent: KnownAgent | null
  }
}

const METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'] as const
const ALLOW = 'POST, OPTIONS'
const CONFIG = { isApi: true, isFromAnywhere: true } as const
const EXPOSED = 'MCP-Protocol-Version, Retry-After, WWW-Authenticate'
const PREFLIGHT = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'Accept, Accept-Language, Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id',
  'access-control-max-age': '7200',
}

/** `/mcp`: the forum for agents, by the Model Context Protocol of 2026-07-28. Each request stands for itself, and no cookie counts. */
export async function registerAgents(app: FastifyInstance): Promise<void> {
  await app.register(async (scope) => {
    scope.decorateRequest('agent', null)
    registerProblems(scope)
    takeMessages(scope)
    const isOn = switchOf(app)
    const agentOf = agentsOf(app)
    scope.addHook('onRequest', async (request, reply) => {
      keepHeadersOfFile(reply)
      reply.header('cache-control', 'no-store')
      if (!(await isOn())) throw new AgentProblem('off')
      requireOurs(request, reply)
    })
    const refuse = async () => {
      throw new AgentProblem('notAllowed', { headers: { allow: ALLOW } })
    }
    scope.route({ method: [...METHODS], url: '/mcp', config: CONFIG, onRequest: refuse, handler: refuse })
    scope.options('/mcp', { config: CONFIG }, async (_request, reply) =>
      reply
        .code(204)
        .headers({ ...PREFLIGHT, allow: ALLOW })
        .send(),
    )
    scope.route({
      method: 'POST',
      url: '/mcp',
      config: { ...CONFIG, limit: 'agents' },
      async onRequest(request) {
        request.agent = await agentOf(request)
        request.person = request.agent?.person ?? null
        if (request.agent === null && queryParam(request, 'sign-in') === '1')
          throw new AgentProblem('unauthorized', { challenge: {} })
      },
      async handler(request, reply) {
        const message = readMessage(request)
        requireScope(request, message)
        // The library is loaded with the first message: a forum without agents has no use for it.
        const { answer } = await import('./server.ts')
        return answer(request, reply, message)
      },
    })
  })
}

/** Whether the forum lets agents in: read once, until an admin changes a setting. */
function switchOf({ db, changes }: FastifyInstance): () => Promise<boolean> {
  const cache = new ScopedCache<boolean>(changes, { maxSize: 1 })
  return () => cache.find('agents', async () => ({ value: await letsAgentsIn(db), scopes: [] }))
}

/**
 * Refuses what a browser was led to under another name than ours, and pages of other sites than the operator named.
 * @throws AgentProblem 403
 */
function requireOurs(request: FastifyRequest, reply: FastifyReply): void {
  const { baseUrl, mcpOrigins } = request.server.config
  const { hostname, origin: own } = new URL(baseUrl)
  if (request.hostname.toLowerCase() !== hostname) throw new AgentProblem('host')
  const { origin } = request.headers
  if (origin === undefined) return
  if (origin !== own && !mcpOrigins.includes(origin)) throw new AgentProblem('origin')
  reply.headers({
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
  })
}

/** @throws AgentProblem 401 for what a person has to be known for, 403 where the token doesn't let their agent do it */
function requireScope({ agent }: FastifyRequest, { tool }: Message): void {
  if (tool === null) return
  const granted = agent?.scopes ?? ['read' as const]
  const isGranted = agent === null ? tool.isPublic : granted.includes(tool.scope)
  if (isGranted) return
  const scopes = [...new Set([...granted, tool.scope])]
  throw agent === null
    ? new AgentProblem('unauthorized', { challenge: { scopes } })
    : new AgentProblem('insufficientScope', { challenge: { error: 'insufficient_scope', scopes } })
}
