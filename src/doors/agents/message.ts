import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AgentProblem } from './problem.ts'
import { TOOLS, type Tool } from './tools.ts'

/** A message of JSON-RPC, as far as this door looks at it: the library reads all of it. */
export interface Message {
  readonly body: Readonly<Record<string, unknown>>
  /** The tool that is called; null: the message is another, or there is no such tool. */
  readonly tool: Tool | null
}

/** Bytes of a message: a draft of 30,000 characters, each written as \uXXXX twice, and what is around it. */
const MAX_BYTES = 400 * 1024
/** How deep lists and objects may be in each other: arguments of tools are flat. */
const MAX_DEPTH = 16
/** Characters of the id of a message, which its answer repeats. */
const MAX_ID_LENGTH = 200

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Bodies are JSON, in UTF-8. */
export function takeMessages(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_BYTES },
    async (_request: FastifyRequest, bytes: Buffer) => parsed(bytes),
  )
}

/** @throws AgentProblem 400 */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new AgentProblem('invalidJson')
  }
}

/** The one message of a request. @throws AgentProblem 400 for what is none, or several; 404 for a stream, of which there are none */
export function readMessage({ body }: FastifyRequest): Message {
  if (body === undefined) throw new AgentProblem('invalidJson')
  if (!isObject(body) || isDeeper(body, MAX_DEPTH)) throw new AgentProblem('badRequest')
  const { id, method, params } = body
  if (typeof id === 'string' && id.length > MAX_ID_LENGTH) throw new AgentProblem('badRequest')
  if (method === 'subscriptions/listen') throw new AgentProblem('noStream')
  const name = method === 'tools/call' && isObject(params) ? params.name : null
  return { body, tool: TOOLS.find((tool) => tool.name === name) ?? null }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1))
}
