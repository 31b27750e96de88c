import assert from 'node:assert/strict'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Addressed } from '../../kernel/rights/secrets-testing.ts'

type Sent = Readonly<Record<string, unknown>>

/** What a tool answered. */
export interface Called {
  readonly status: number
  readonly headers: LightMyRequestResponse['headers']
  /** The data of the result; of an error of the tool nothing. */
  readonly data: Sent
  readonly isError: boolean
  readonly text: string
  readonly body: string
}

export const PROTOCOL = '2026-07-28'

/** What each message says of its client, besides what it asks for. */
export const META = {
  'io.modelcontextprotocol/protocolVersion': PROTOCOL,
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Asking {
  readonly token?: string | null
  readonly url?: string
  readonly remoteAddress?: string
}

/** An agent with a token, or without one. */
export function anAgent(
  app: FastifyInstance,
  { token = null, url = '/mcp', remoteAddress = '127.0.0.1' }: Asking = {},
) {
  async function send(message: unknown, headers: Readonly<Record<string, string>> = {}) {
    return app.inject({
      ...{ method: 'POST', url, remoteAddress },
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      payload: typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
    })
  }
  const ask = (method: string, params: Sent = {}) => {
    const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }
    return send(message, { 'mcp-protocol-version': PROTOCOL, 'mcp-method': method, ...name })
  }
  async function call(name: string, given: Sent): Promise<Called> {
    const { statusCode: status, headers, body } = await ask('tools/call', { name, arguments: given })
    const { result = {} } = JSON.parse(body) as { result?: Sent }
    const [content] = (result.content ?? []) as { text: string }[]
    const data = (result.structuredContent ?? {}) as Sent
    const isError = result.isError === true
    assert.ok(Buffer.byteLength(body) <= 64 * 1024, `${Buffer.byteLength(body)} bytes`)
    return { status, headers, body, data, isError, text: content?.text ?? '' }
  }
  return { send, ask, call }
}

/** Every call that can be made about these things. @param queries that look for what is not for everybody */
export function callsAbout(
  { course, questions }: Addressed,
  queries: readonly string[],
): readonly (readonly [name: string, given: Sent])[] {
  const searched = queries.flatMap((query) => [
    ['search_questions', { query }] as const,
    ['similar_questions', { title: query }] as const,
    ...course.map((slug) => ['search_questions', { query, course: slug }] as const),
    ...course.map((slug) => ['similar_questions', { title: query, course: slug }] as const),
  ])
  return [
    ...searched,
    ...questions.map((id) => ['read_question', { id }] as const),
    ...questions.map((id) => ['draft_answer', { question: id, body: 'Nothing that is secret.' }] as const),
    ...course.map((slug) => ['list_waiting', { course: slug }] as const),
  ]
}
