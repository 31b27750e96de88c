import type { FastifyRequest } from 'fastify'
import type { Write } from '../../database/schema.ts'
import { idParam } from '../../web/params.ts'
import type { Call } from './endpoint.ts'
import { ApiProblem } from './problem.ts'

/**
 * The version that a change began with, as If-Match says it.
 * @param current the present version
 * @throws ApiProblem 428 without it, 412 when none of them is the present one
 */
export function versionToChange({ headers }: FastifyRequest, current: number): number {
  const sent = headers['if-match']
  if (sent === undefined) throw new ApiProblem(428, 'preconditionRequired')
  requireNamed(sent, current)
  return current
}

/**
 * Holds a PUT or DELETE to If-Match, once what it is done to is locked: it is compared with the version of the post of the address. What
 * has none is matched by `*` alone.
 * @param path of the endpoint
 * @throws ApiProblem 412
 */
export async function requireMatch({ request }: Pick<Call, 'request'>, path: string, write: Write) {
  const sent = request.headers['if-match']
  if (sent === undefined) return
  const table = (['questions', 'answers', 'replies'] as const).find((name) => path.startsWith(`/${name}/:id`))
  const post =
    table === undefined
      ? undefined
      : await write
          .selectFrom(table)
          .select('version')
          .where('id', '=', idParam(request, 'id'))
          .executeTakeFirst()
  requireNamed(sent, post?.version ?? null)
}

/**
 * Of an entity tag of ours the version counts alone, so that a vote makes none stale; or the version in quotes. Several, and `*`, are
 * looked for among what is there.
 * @param current null: there is no version
 */
function requireNamed(sent: string, current: number | null): void {
  if (sent.trim() === '*') return
  const versions = sent.split(',').map((tag) => /^\s*(?:W\/)?"(\d{1,9})(?:-[\w-]*)?"\s*$/.exec(tag)?.[1])
  if (current === null || !versions.includes(String(current))) throw new ApiProblem(412, 'preconditionFailed')
}
