import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyServerFactory } from 'fastify'
import { UNREADABLE } from './addresses.ts'
import { createServer } from './node-http.ts'

/** HTTP/1.1 requires the header (RFC 9112, 3.2); older clients have none. */
const isWithoutHost = ({ headers, httpVersion }: IncomingMessage) =>
  httpVersion === '1.1' && headers.host === undefined

/** What runs before the framework: a handler that has the answer ready sends it, without route, hooks and reply. */
export class Front {
  /** Answers a request before the framework sees it. @returns false: it did not, and nothing was sent */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

  /** A server with the times Fastify gives its own. */
  readonly serverFactory: FastifyServerFactory = (handle, options) => {
    // Node answers a request without a host by itself, without a page and our headers.
    const server = createServer({ requireHostHeader: false }, (request, response) => {
      if (isWithoutHost(request)) request.url = UNREADABLE
      if (!this.answer(request, response)) handle(request, response)
    })
    // Milliseconds; Fastify has filled in those that createApp does not give.
    server.keepAliveTimeout = Number(options.keepAliveTimeout)
    server.requestTimeout = Number(options.requestTimeout)
    server.setTimeout(Number(options.connectionTimeout))
    return server
  }
}
