import type { FastifyRequest } from 'fastify'
import { typedFields } from './form.ts'
import { localPath } from './paths.ts'

/** Where a form that stands on several pages leads back to: its field `back`, a path of ours. */
export function backPath(request: FastifyRequest, fallback: string): string {
  return localPath(typedFields(request.body).back, fallback)
}
