import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type RawBuilder, sql } from 'kysely'
import type { Database, TokenScope, Write } from '../../database/schema.ts'
import { apart, holder, missed, table } from '../../database/table.ts'
import { type Actor, reachOf } from '../../kernel/rights/rights.ts'
import { hashToken } from '../../web/tokens.ts'

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

/** By which scanners of published secrets know a token of ours. */
const PREFIX = 'handup_'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62 to the 30th is 178 bits. */
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/** A new token: the prefix, a secret of 178 random bits, and a checksum, so that what was mistyped is known without looking it up. */
function newApiToken(): string {
  const secret = randomDigits(SECRET_LENGTH)
  return `${PREFIX}${secret}${checksumOf(secret)}`
}

/** Whether a text can be a token: its form and its checksum are right. */
export function isApiToken(text: string): boolean {
  if (!FORM.test(text)) return false
  const secret = text.slice(PREFIX.length, -CHECKSUM_LENGTH)
  return text.endsWith(checksumOf(secret))
}

/** CRC-32 in base 62, six digits. */
function checksumOf(secret: string): string {
  let rest = crc32(secret)
  let digits = ''
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = `${DIGITS[rest % DIGITS.length]}${digits}`
    rest = Math.floor(rest / DIGITS.length)
  }
  return digits
}

/** Each digit is as likely as the others: bytes above the last whole multiple of 62 are left out. */
function randomDigits(length: number): string {
  const limit = 256 - (256 % DIGITS.length)
  let digits = ''
  while (digits.length < length)
    for (const byte of randomBytes(length))
      if (byte < limit && digits.length < length) digits += DIGITS[byte % DIGITS.length]
  return digits
}
