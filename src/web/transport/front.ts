import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyServerFactory } from 'fastify'
import { UNREADABLE } from './addresses.ts'
import { createServer } from './node-http.ts'

/** HTTP/1.1 requires the header (RFC 9112, 3.2); older clients have none. */
const isWithoutHost = ({ headers, httpVersion }: IncomingMessage) =>
  httpVersion === '1.1' && headers.host === undefined

/** Milliseconds in which the largest request has to be whole: `allowTime`. */
export const LONGEST_MS = 30 * 60_000

/** Requests that are coming in, and how each gets so many more milliseconds. */
const coming = new WeakMap<IncomingMessage, (milliseconds: number) => void>()

/** Lets a request take its time, LONGEST_MS at most, once it is known that it may be large. */
export function allowTime(request: IncomingMessage): void {
  coming.get(request)?.(LONGEST_MS)
}

/** Ends a request whose body isn't whole in time. */
function limitTime(request: IncomingMessage, server: HttpServer, milliseconds: number): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (length === undefined && encoding === undefined) return
  const end = () => {
    if (request.complete) return
    // As Node ends those whose headers don't come.
    const error = Object.assign(new Error('the body did not come'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', error, request.socket)
  }
  let timer = setTimeout(end, milliseconds)
  coming.set(request, (more) => {
    clearTimeout(timer)
    timer = setTimeout(end, more)
  })
  request.once('close', () => clearTimeout(timer))
}

/** What runs before the framework: a handler that has the answer ready sends it, without route, hooks and reply. */
export class Front {
  /** Answers a request before the framework sees it. @returns false: it did not, and nothing was sent */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

  /** A server with the times Fastify gives its own. */
  readonly serverFactory: FastifyServerFactory = (handle, options) => {
    // Node answers a request without a host by itself, without a page and our headers.
    const server = createServer({ requireHostHeader: false }, (request, response) => {
      limitTime(request, server, Number(options.requestTimeout))
      if (isWithoutHost(request)) request.url = UNREADABLE
      if (!this.answer(request, response)) handle(request, response)
    })
    // Milliseconds; Fastify has filled in those that createApp does not give.
    server.keepAliveTimeout = Number(options.keepAliveTimeout)
    server.headersTimeout = Number(options.requestTimeout)
    server.requestTimeout = LONGEST_MS
    server.setTimeout(Number(options.connectionTimeout))
    return server
  }
}
