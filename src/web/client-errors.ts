import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { writeEvent } from '../audit-log/note.ts'
import { translatorOf } from '../messages/catalogue.ts'
import type { ProblemName } from '../operations/problem.ts'
import { HEADERS } from './headers.ts'

/** What Node's HTTP parser refuses before there is a request: which status, and which of our words. */
const REFUSALS: Readonly<Record<string, readonly [status: string, words: ProblemName]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'tooLarge'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'badRequest'],
}

/** Milliseconds to read the answer in: cut at once, it would be lost together with what is still coming in. */
export const FAREWELL = 5000

/**
 * Answers what never became a request: an address or headers beyond 16 KB, a broken request line, a client that does not
 * finish. A page by hand, in English, as nothing is known of whom it is for; the log has it under the same number.
 */
export function answerBrokenRequest(
  log: FastifyBaseLogger,
  error: Error & { code?: string },
  socket: Socket,
): void {
  // The client is gone: nobody reads an answer.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, words] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'badRequest']
  const reqId = randomUUID()
  writeEvent(log, 'broken-request', { reqId, code: error.code ?? null })
  socket.end(answer(status, pageOf(status, words, reqId)))
  // Who goes on sending, or never hangs up, would keep the connection for ever.
  setTimeout(() => socket.destroy(), FAREWELL).unref()
}

/** Refuses CONNECT, which asks for a tunnel to somebody else: Node would close the connection without an answer. */
export function refuseTunnels({ server, log }: FastifyInstance): void {
  server.on('connect', (_request, socket: Socket) => {
    answerBrokenRequest(log, Object.assign(new Error('CONNECT'), { code: 'CONNECT' }), socket)
  })
}

function answer(status: string, page: string): string {
  const headers = {
    ...HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status}`, ...lines, `content-length: ${Buffer.byteLength(page)}`, '', page].join('\r\n')
}

function pageOf(status: string, words: ProblemName, reqId: string): string {
  const t = translatorOf('en')
  const title = t(`errors.${words}.title`)
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${title} · Handup</title></head><body>`,
    `<main><p>${status.slice(0, 3)}</p><h1>${title}</h1><p>${t(`errors.${words}.text`)}</p>`,
    `<p><a href="/">${t('errors.home')}</a></p><p>${t('errors.requestId')} <code>${reqId}</code></p></main>`,
    '</body></html>',
  ].join('\n')
}
