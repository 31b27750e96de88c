import type { FastifyRequest } from 'fastify'
import type { Call, Endpoint } from './endpoint.ts'
import { ApiProblem } from './problem.ts'

/** The body of a request: an object, or nothing where nothing is required. @throws ApiProblem 400 for any other */
export function readBody({ body: sent }: FastifyRequest, { body }: Endpoint): Call['body'] {
  if (body === null || body.hasFile === true || (sent === undefined && body.required.length === 0)) return {}
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new ApiProblem(400, 'invalidJson')
  return sent as Call['body']
}
