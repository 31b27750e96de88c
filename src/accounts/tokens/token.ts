import { type RawBuilder, sql } from 'kysely'
import type { Database, TokenScope, Write } from '../../database/schema.ts'
import { apart, holder, missed, table } from '../../database/table.ts'
import { type Actor, reachOf } from '../../kernel/rights/rights.ts'
import { hashToken } from '../../web/tokens.ts'
import { newSecret } from './secret.ts'

export const apiTokens = table(
  'api_tokens',
  { person_id: apart(missed(holder)) },
  { expired: sql`ends_at < now()` },
)

/** Tokens of one person, and of one course: more than anybody's programs. */
export const MAX_TOKENS = 50

export type TokenOwner =
  | { readonly personId: number; readonly courseId: number | null }
  | { readonly personId: null; readonly courseId: number }

/**
 * Makes a token. `ends`: the last day on which it works, in `timeZone`.
 * @returns the token, which is kept nowhere; null: the owner has as many as anybody may
 */
export async function makeToken(
  write: Write,
  owner: TokenOwner,
  made: { name: string; scopes: readonly TokenScope[]; ends: string; timeZone: string },
): Promise<string | null> {
  const { count } = await write
    .selectFrom('api_tokens')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where(isOf(owner))
    .executeTakeFirstOrThrow()
  if (count >= MAX_TOKENS) return null
  const token = newSecret('api')
  await write
    .insertInto('api_tokens')
    .values({
      token_hash: hashToken(token),
      person_id: owner.personId,
      course_id: owner.courseId,
      name: made.name,
      scopes: [...made.scopes],
      ends_at: sql<Date>`(${made.ends}::date + 1)::timestamp at time zone ${made.timeZone}`,
    })
    .execute()
  return token
}

/** Revokes a token: from now on it is worth nothing. @returns its name; null: the owner has none of that number */
export async function revokeToken(write: Write, owner: TokenOwner, id: number) {
  const revoked = await write
    .deleteFrom('api_tokens')
    .where('id', '=', id)
    .where(isOf(owner))
    .returning('name')
    .executeTakeFirst()
  return revoked ?? null
}

/** A person's tokens, or a course's own, the newest first. */
export async function listTokens(db: Database | Write, owner: TokenOwner) {
  return db
    .selectFrom('api_tokens as token')
    .leftJoin('courses as course', 'course.id', 'token.course_id')
    .select(['token.id', 'token.name', 'token.scopes', 'token.created_at', 'token.ends_at'])
    .select(['token.last_used_at', 'course.title as course_title'])
    .where(isOf(owner, 'token'))
    .orderBy('token.id', 'desc')
    .execute()
}
export type ListedToken = Awaited<ReturnType<typeof listTokens>>[number]

function isOf({ personId, courseId }: TokenOwner, alias = 'api_tokens'): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return personId === null
    ? sql<boolean>`(${column('person_id')} is null and ${column('course_id')} = ${courseId})`
    : sql<boolean>`${column('person_id')} = ${personId}`
}

/** The courses that a person's token can be for: those they belong to; of an admin all. By title. */
export function coursesForTokens(db: Database, person: Actor) {
  const { isAll } = reachOf(person, 'work-desk')
  const ids = Object.keys(person.roles).map(Number)
  return db
    .selectFrom('courses as course')
    .select(['course.id', 'course.slug', 'course.title'])
    .$if(!isAll, (query) => query.where('course.id', '=', sql<number>`any(${ids}::bigint[])`))
    .orderBy(sql`lower(course.title)`)
    .orderBy('course.id')
    .execute()
}
