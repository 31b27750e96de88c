import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { idParam } from '../../web/params.ts'
import { brokenCondition, isChangedSince, tagsIn } from '../../web/transport/entity-tag.ts'
import { ApiProblem } from './problem.ts'
import { postTableAt } from './statuses.ts'

/** What conditions are compared with: both null where there is no version, as of a collection. */
interface Present {
  readonly version: number | null
  readonly modified: Date | null
}

const NONE: Present = { version: null, modified: null }

/** @throws ApiProblem 400 for a condition that can't be read, whatever it would be compared with */
export function requireReadable({ headers }: FastifyRequest): void {
  const header = brokenCondition(headers)
  if (header !== null)
    throw new ApiProblem('invalidCondition', {
      detail: { key: 'api.invalid.condition', values: { name: header } },
    })
}

/**
 * The version that a change began with, as If-Match says it.
 * @param current the present version
 * @throws ApiProblem 428 without it, 412 when none of them is the present one
 */
export function versionToChange({ headers }: FastifyRequest, current: number): number {
  const sent = headers['if-match']
  if (sent === undefined) throw new ApiProblem('preconditionRequired')
  if (!names(sent, current)) throw failed()
  return current
}

/**
 * Holds a write to its conditions, once what it is done to is locked: they are compared with what the address names, a post or a case.
 * What has no version is named by `*` alone, and has no time.
 * @param path of the endpoint
 * @throws ApiProblem 412
 */
export async function requireConditions(request: FastifyRequest, path: string, write: Write | Database) {
  const { 'if-match': match, 'if-none-match': none, 'if-unmodified-since': since } = request.headers
  if (match === undefined && none === undefined && since === undefined) return
  const { version, modified } = (await presentAt(request, path, write)) ?? NONE
  if (match !== undefined && !names(match, version)) throw failed()
  if (none !== undefined && names(none, version)) throw failed()
  if (modified !== null && isChangedSince(request.headers, modified)) throw failed()
}

async function presentAt(request: FastifyRequest, path: string, db: Write | Database) {
  const table = postTableAt(path) ?? (path.startsWith('/cases/:id') ? 'cases' : undefined)
  if (table === undefined) return undefined
  const modified = sql<Date | null>`${table === 'cases' ? sql`null` : sql`coalesce(edited_at, written_at)`}`
  return (db as Database)
    .selectFrom(table as 'questions')
    .select(['version', modified.as('modified')])
    .where('id', '=', idParam(request, 'id'))
    .executeTakeFirst()
}

/** For a read, whose answer is made. @throws ApiProblem 412 where it was changed after If-Unmodified-Since */
export function requireUnmodified({ headers }: FastifyRequest, modified: string): void {
  if (isChangedSince(headers, modified)) throw failed()
}

/**
 * Of an entity tag of ours the version counts alone, so that a vote makes none stale; or the version in quotes. Several, and `*`, are
 * looked for among what is there.
 * @param current null: there is no version
 */
function names(sent: string, current: number | null): boolean {
  const tags = tagsIn(sent) ?? []
  if (tags === '*') return true
  const versions = tags.map((tag) => /^(?:W\/)?"(\d{1,9})(?:-[\w-]*)?"$/.exec(tag)?.[1])
  return current !== null && versions.includes(String(current))
}

const failed = () => new ApiProblem('preconditionFailed')
