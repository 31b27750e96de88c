import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { writeEvent } from '../../kernel/audit/note.ts'
import type { ProblemName } from '../../kernel/problem.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { HEADERS } from './headers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the forum is stopping: requests are still served, and their connections closed. */
    readonly isClosing: boolean
    /** From now on /readyz says 503 and each answer ends its connection, while everybody is still served. */
    beginClosing(): void
  }
}

/** A round of the event loop that took no longer had little to do; how many are waited for at the most. Milliseconds. */
const SHORT = 1
const ROUNDS = 200

/** How long kept connections may still send a request after the forum has stopped listening. */
const LINGER_MS = 500

/**
 * While the forum stops, an answer ends its connection: one kept alive for a next request, which would find
 * nobody, holds up the stop until it times out.
 */
export function registerClosing(app: FastifyInstance): void {
  let isClosing = false
  app.decorate('isClosing', { getter: () => isClosing })
  app.decorate('beginClosing', () => {
    isClosing = true
  })
  app.addHook('preClose', async () => {
    isClosing = true
    await takeWhoWaits()
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
}

/**
 * Stops listening, but leaves kept connections open for a moment: closing them while their clients send a request would reset
 * it. Requests are answered with `Connection: close`. Register it last, when nothing else holds connections open.
 */
export function registerLingering(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const { server } = app
    if (!server.listening) return
    const allEnded = once(server, 'close')
    // http.Server's own close() also ends idle connections.
    Server.prototype.close.call(server)
    await Promise.race([allEnded, sleep(LINGER_MS, undefined, { ref: false })])
  })
}

/**
 * Connections that the system has made and this process has not taken yet are reset when it stops listening. Each round of
 * the event loop takes all there are; right after a short one there are next to none.
 */
async function takeWhoWaits(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    await setImmediate()
    if (round > 0 && performance.now() - begun < SHORT) return
  }
}

/** File descriptors that are kept for the database, files, mail, and the process itself. */
const RESERVE = 64
/** Milliseconds between two lines that connections were refused. */
const SAID_EVERY = 60_000

/**
 * Refuses connections while the process has as many as its file descriptors allow (`ulimit -n`): without any
 * left it could neither open a file nor reach the database, and errors would come where nobody expects them.
 */
export function registerConnectionLimit(app: FastifyInstance): void {
  const files = fileLimit()
  if (files !== null) limitConnections(app, Math.max(1, files - RESERVE, Math.floor(files / 2)))
}

/** @param most connections at once */
export function limitConnections(
  { server, log }: { server: HttpServer } & Pick<FastifyInstance, 'log'>,
  most: number,
): void {
  server.maxConnections = most
  let [refused, saidAt] = [0, Number.NEGATIVE_INFINITY]
  server.on('drop', () => {
    refused += 1
    if (performance.now() - saidAt < SAID_EVERY) return
    log.error(
      { refused, most },
      'connections are refused: raise the limit of open files (LimitNOFILE, ulimit -n)',
    )
    saidAt = performance.now()
    refused = 0
  })
}

/** How many files this process may have open; null: not known here, or any number. Node raises the soft limit to the hard one. */
function fileLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? null : Number(limit)
  } catch {
    return null
  }
}

/** What Node's HTTP parser refuses before there is a request: which status, and which of our words. */
const REFUSALS: Readonly<Record<string, readonly [status: string, words: ProblemName]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'tooLarge'],
  // A request line with a method that the parser doesn't know; what is no request line at all has the same code.
  HPE_INVALID_METHOD: ['501 Not Implemented', 'badRequest'],
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
  error: Error & { code?: string; rawPacket?: unknown },
  socket: Socket,
): void {
  // The client is gone: nobody reads an answer.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const isLine = error.code !== 'HPE_INVALID_METHOD' || isRequestLine(error.rawPacket)
  const refusal = isLine ? REFUSALS[error.code ?? ''] : undefined
  const [status, words] = refusal ?? ['400 Bad Request', 'badRequest']
  const reqId = randomUUID()
  writeEvent(log, 'broken-request', { reqId, code: error.code ?? null })
  socket.end(answer(status, pageOf(status, words, reqId)))
  // Who goes on sending, or never hangs up, would keep the connection for ever.
  setTimeout(() => socket.destroy(), FAREWELL).unref()
}

const isRequestLine = (packet: unknown) =>
  packet instanceof Buffer &&
  /^[!#$%&'*+.^_`|~\w-]{1,40} \S+ HTTP\/1\.\d\r?\n/.test(packet.subarray(0, 4096).toString('latin1'))

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
