import assert from 'node:assert/strict'
import { get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { atEnd, type Ending } from './at-end.ts'

export interface EventStream {
  readonly response: IncomingMessage
  /** What it said so far. */
  text: string
  hasEnded: boolean
}

/** Opens a stream of the app, which listens from now on, until the test ends. */
export async function openEventStream(
  test: Ending,
  app: FastifyInstance,
  path: string,
  headers: OutgoingHttpHeaders = {},
): Promise<EventStream> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  // News of what the test made before would end the connection, as rights may have ended with it.
  await app.changes?.caughtUp()
  const address = app.server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const request = get({ host: '127.0.0.1', port: address.port, path, headers })
  atEnd(test, () => request.destroy())
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject)
  })
  const stream: EventStream = { response, text: '', hasEnded: false }
  response.setEncoding('utf8').on('data', (part: string) => {
    stream.text += part
  })
  response.once('close', () => {
    stream.hasEnded = true
  })
  return stream
}
