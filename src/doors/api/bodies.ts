import type { FastifyInstance } from 'fastify'
import { BODY_LIMIT } from '../../limits/bodies.ts'
import { ApiProblem } from './problem.ts'

/** Bodies are JSON, in UTF-8, and no larger than a form. */
export function registerBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    async (_request: unknown, text: string) => parsed(text),
  )
}

/** @throws ApiProblem 400 for what is no JSON; undefined: nothing was sent */
function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiProblem(400, 'invalidJson')
  }
}
