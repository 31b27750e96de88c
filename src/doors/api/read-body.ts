import type { FastifyRequest } from 'fastify'
import type { Endpoint } from './endpoint.ts'
import { ApiProblem, codeOf } from './problem.ts'

/** Reads the fields of a body, and no others. @throws ApiProblem 400 without one, 422 with what is wrong with it */
export function readBody(request: FastifyRequest, { body: schema }: Endpoint): unknown {
  if (schema === null) return null
  const { body } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiProblem(400, 'invalidJson')
  const read = schema.safeParse(body)
  if (read.success) return read.data
  throw new ApiProblem(422, 'invalid', {
    errors: read.error.issues.map(({ path, code }) => ({
      pointer: path.map((part) => `/${String(part)}`).join(''),
      message: { key: 'api.invalid.field' },
      code: codeOf(code),
    })),
  })
}
