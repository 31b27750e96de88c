import type { FastifyRequest } from 'fastify'
import { languageOfRequest } from '../../web/language.ts'
import type { Circumstances } from './letters.ts'

/** What a letter takes from the request that causes it: never its Host. */
export function circumstancesOf(request: FastifyRequest): Circumstances {
  return { baseUrl: request.server.config.baseUrl, language: languageOfRequest(request) }
}
