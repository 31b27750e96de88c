import { randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-store',
  // nginx would keep it back until there is enough of it.
  'x-accel-buffering': 'no',
}

/** Proxies end a connection on which nothing comes for a minute. */
export const KEEP_ALIVE_MS = 25_000

/** Gone already, or waiting behind another answer of its connection, as no request for a stream does. */
export const isGone = ({ raw }: FastifyReply) => raw.socket === null || raw.socket.destroyed

/** Answers with events (HTML, 9.2), until somebody ends it. */
export function beginStream(reply: FastifyReply): ServerResponse {
  const { raw: response } = reply.hijack()
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...HEADERS })) {
    if (value !== undefined) response.setHeader(name, value)
  }
  // Not all at once after a restart.
  response.write(`retry: ${randomInt(2000, 10_000)}\n\n`)
  return response
}

/** Bytes that may wait for a reader who takes none: beyond them the connection is ended, and the reader makes another. */
const MAX_BUFFERED_BYTES = 16_384

export function writeTo(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return
  if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy()
  else response.write(text)
}
