import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyServerFactory } from 'fastify'
import { createServer } from './node-http.ts'

/** What stands before the framework: whoever has the answer ready gives it, without route, hooks and reply. */
export class Front {
  /** Answers a request before the framework sees it. @returns false: it did not, and nothing was sent */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

  /** A server with the times Fastify gives its own. */
  readonly serverFactory: FastifyServerFactory = (handle, options) => {
    const server = createServer((request, response) => {
      if (!this.answer(request, response)) handle(request, response)
    })
    // Milliseconds; Fastify has filled in those that createApp does not give.
    server.keepAliveTimeout = Number(options.keepAliveTimeout)
    server.requestTimeout = Number(options.requestTimeout)
    server.setTimeout(Number(options.connectionTimeout))
    return server
  }
}
