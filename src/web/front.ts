import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { FastifyServerFactory } from 'fastify'

/** Answers a request before the framework sees it. @returns false: it did not, and nothing was sent */
export type Answerer = (request: IncomingMessage, response: ServerResponse) => boolean

/** What stands before the framework: whoever has the answer ready gives it, without route, hooks and reply. */
export class Front {
  private readonly answerers: Answerer[] = []

  add(answerer: Answerer): void {
    this.answerers.push(answerer)
  }

  /** A server with the times Fastify gives its own. */
  readonly serverFactory: FastifyServerFactory = (handle, options) => {
    const server = createServer((request, response) => {
      for (const answers of this.answerers) if (answers(request, response)) return
      handle(request, response)
    })
    // Milliseconds; Fastify has filled in those that createApp does not give.
    server.keepAliveTimeout = Number(options.keepAliveTimeout)
    server.requestTimeout = Number(options.requestTimeout)
    server.setTimeout(Number(options.connectionTimeout))
    return server
  }
}
