import { POST_TABLES } from '../../forum/posts/kinds.ts'
import type { Endpoint } from '../../web/json/endpoint.ts'

/**
 * The statuses of problems that an endpoint can give. Any may refuse a parameter or a condition (400), a token (401) or its scopes (403),
 * or have too much to do; the others depend on what it reads and writes.
 */
export function problemStatuses(endpoint: Endpoint): readonly number[] {
  const { method, path, answer, problems, takesKey, body } = endpoint
  const isRead = method === 'GET'
  const statuses = [
    ...[400, 401, 403, 429, 500, 503],
    ...(path.includes(':') ? [404] : []),
    ...(answer.kind === 'one' || answer.kind === 'list' ? [406] : []),
    ...(body?.hasFile === true ? [408] : []),
    ...(takesKey ? [409] : []),
    // It may have been deleted.
    ...(postTableAt(path) === undefined ? [] : [410]),
    // Its cursor may have expired.
    ...(endpoint.query !== null && 'updated_after' in endpoint.query.shape ? [410] : []),
    ...(isRead ? [] : [412, 413, 415, 422]),
    ...(isRead && hasTime(endpoint) ? [412] : []),
    ...problems,
  ]
  return [...new Set(statuses)].sort((one, other) => one - other)
}

/** The kind of the post that an endpoint is about, or something of which; undefined: it is about none. */
export const postTableAt = (path: string) => POST_TABLES.find((table) => path.startsWith(`/${table}/:id`))

/** Whether its answer says when it was last changed. */
export const hasTime = ({ answer }: Endpoint) => answer.kind === 'one' && 'written_at' in answer.schema.shape
