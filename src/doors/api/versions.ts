import type { FastifyRequest } from 'fastify'
import { ApiProblem } from './problem.ts'

/**
 * The version that a change began with, as If-Match says it: an entity tag of ours, of which the version counts alone, so that a vote makes
 * none stale; or the version in quotes. Several, and `*`, are looked for among what is there.
 * @param current the present version
 * @throws ApiProblem 428 without it, 412 when none of them is the present one
 */
export function versionToChange({ headers }: FastifyRequest, current: number): number {
  const sent = headers['if-match']
  if (sent === undefined) throw new ApiProblem(428, 'preconditionRequired')
  const versions = sent.split(',').map((tag) => /^\s*(?:W\/)?"(\d{1,9})(?:-[\w-]*)?"\s*$/.exec(tag)?.[1])
  if (sent.trim() !== '*' && !versions.includes(String(current)))
    throw new ApiProblem(412, 'preconditionFailed')
  return current
}
