import { type RawBuilder, sql } from 'kysely'
import type { Database, TokenScope, Write } from '../../database/schema.ts'
import { sweep } from '../../database/sweep.ts'
import { hashToken } from '../../web/tokens.ts'
import { newApiToken } from './token.ts'

/** Tokens of one person, and of one course: more than anybody's programs. */
export const MAX_TOKENS = 50

/** The owner of a token. */
export type TokenOwner =
  | { readonly personId: number; readonly courseId: number | null }
  | { readonly personId: null; readonly courseId: number }

export interface NewToken {
  readonly name: string
  readonly scopes: readonly TokenScope[]
  /** The last day on which it works, in `timeZone`. */
  readonly ends: string
  readonly timeZone: string
}

/** Makes a token. @returns the token, which is kept nowhere; null: the owner has as many as anybody may */
export async function makeToken(write: Write, owner: TokenOwner, made: NewToken): Promise<string | null> {
  const { count } = await write
    .selectFrom('api_tokens')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where(isOf(owner))
    .executeTakeFirstOrThrow()
  if (count >= MAX_TOKENS) return null
  const token = newApiToken()
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
export async function revokeToken(
  write: Write,
  owner: TokenOwner,
  id: number,
): Promise<{ readonly name: string } | null> {
  const revoked = await write
    .deleteFrom('api_tokens')
    .where('id', '=', id)
    .where(isOf(owner))
    .returning('name')
    .executeTakeFirst()
  return revoked ?? null
}

/** Removes tokens that have ended. @returns how many */
export function sweepTokens(db: Database): Promise<number> {
  return sweep(db, 'api_tokens', sql`ends_at < now()`)
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
