import {
  type CacheScope,
  type CallToolResult,
  createMcpHandler,
  McpServer,
} from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { Problem, Refused } from '../../kernel/problem.ts'
import { handupVersion } from '../../operating/version.ts'
import { translatorFor } from '../../web/appearance.ts'
import { logProblem, problemOf, statusOf } from '../../web/errors.ts'
import type { Message } from './message.ts'
import { AgentProblem } from './problem.ts'
import { MAX_ANSWER_BYTES } from './quoted.ts'
import { TOOLS, type Tool } from './tools.ts'

/** How long an answer may be used again: posts are edited, deleted and hidden. */
const LIST_TTL_MS = 300_000
const READ_TTL_MS = 30_000

const version = handupVersion()

/** What became of a call: refused, unless its tool says otherwise, as what is asked wrongly comes to no tool. */
interface Call {
  outcome: 'done' | 'refused' | 'failed'
  /** The request as a whole is refused. */
  problem: AgentProblem | null
}

/** Answers one message: of 2026-07-28, or of the revisions before, whose clients begin with `initialize`. */
export async function answer(request: FastifyRequest, reply: FastifyReply, { body, tool }: Message) {
  const call: Call = { outcome: 'refused', problem: null }
  const server = async () => serverFor(request, await version, call)
  const { baseUrl } = request.server.config
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    name === 'content-length' || value === undefined ? [] : [[name, String(value)]],
  )
  const asked = new Request(`${baseUrl}/mcp`, { method: 'POST', headers })
  const answered = await createMcpHandler(server).fetch(asked, { parsedBody: body })
  const bytes = Buffer.from(await answered.arrayBuffer())
  if (tool !== null)
    noteEvent(request, 'agent-called', {
      tool: tool.name.replaceAll('_', '-'),
      outcome: call.outcome,
      personId: request.agent?.actor?.id ?? null,
    })
  // The token ended while the tool ran: a result couldn't say what to do about that.
  if (call.problem !== null) throw call.problem
  // Only what repeats a message that is wrong can be larger.
  if (bytes.length > MAX_ANSWER_BYTES) throw new AgentProblem('badRequest')
  const type = answered.headers.get('content-type')
  if (type !== null) reply.type(type)
  return reply.code(answered.status).send(bytes)
}

/** Made for each message, as it holds nothing. @param call gets what becomes of it */
function serverFor(request: FastifyRequest, version: string, call: Call): McpServer {
  const t = translatorFor(request)
  const list = { ttlMs: LIST_TTL_MS, cacheScope: scopeOf(request) }
  const server = new McpServer(
    { name: 'handup', title: 'Handup', version, websiteUrl: request.server.config.baseUrl },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: t('agents.instructions'),
      cacheHints: { 'tools/list': list, 'server/discover': list },
    },
  )
  for (const tool of TOOLS) {
    const { name, input, output, writes } = tool
    const words = { title: t(`agents.tool.${name}.title`), description: t(`agents.tool.${name}.text`) }
    const annotations = {
      title: words.title,
      readOnlyHint: !writes,
      // A draft takes the place of the one before, which nobody has posted.
      destructiveHint: writes,
      idempotentHint: true,
      openWorldHint: false,
    }
    const config = { ...words, inputSchema: input, outputSchema: output, annotations }
    server.registerTool(name, config, (given) => resultOf(request, tool, given, call))
  }
  return server
}

const scopeOf = ({ agent }: FastifyRequest): CacheScope => (agent === null ? 'public' : 'private')

async function resultOf(
  request: FastifyRequest,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  call: Call,
): Promise<CallToolResult> {
  try {
    const data = await tool.run(request, given)
    call.outcome = 'done'
    return {
      content: [{ type: 'text', text: JSON.stringify(data) }],
      structuredContent: data,
      ...(!tool.writes && { ttlMs: READ_TTL_MS, cacheScope: scopeOf(request) }),
    }
  } catch (error) {
    if (error instanceof AgentProblem) call.problem = error
    const { text, isOurs } = refusalOf(request, error)
    if (isOurs) call.outcome = 'failed'
    return { content: [{ type: 'text', text }], isError: true }
  }
}

/** What a tool says that could not do it. Details go to the log. */
function refusalOf(request: FastifyRequest, error: unknown) {
  const t = translatorFor(request)
  if (error instanceof Refused) {
    const told = error.errors.map(({ message }) => t(message.key, message.values))
    return { text: told.join(' '), isOurs: false }
  }
  const problem = problemOf(error)
  if (problem.key === 'notFound') return { text: t('agents.refused.question'), isOurs: false }
  const status = statusOf(problem)
  if (!(error instanceof Problem)) logProblem(request, { status, key: problem.key }, error)
  const { key, values } = problem.text
  return { text: `${t(problem.title.key)}. ${t(key, values)}`, isOurs: status >= 500 }
}
