import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { visibleTo } from '../../rights/visibility.ts'
import { hashToken } from '../../web/tokens.ts'

export interface Account {
  readonly id: number
  /** null: signs in by link only. */
  readonly passwordHash: string | null
  /** Whether the mailbox is known to be the account's owner's. */
  readonly isConfirmed: boolean
  readonly accessVersion: number
}

/** The account of an e-mail address in lower case; null when it has none. */
export async function findAccount(db: Database, email: string): Promise<Account | null> {
  const row = await db
    .selectFrom('people')
    .select(['id', 'password_hash as passwordHash', 'access_version as accessVersion'])
    .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
    .where('email', '=', email)
    .executeTakeFirst()
  return row ?? null
}

/** null: the account has no password, or is not there. */
export async function findPasswordHash(db: Database, personId: number): Promise<string | null> {
  const row = await db
    .selectFrom('people')
    .select('password_hash as passwordHash')
    .where('id', '=', personId)
    .executeTakeFirst()
  return row?.passwordHash ?? null
}

/** What setting a new password asks of its owner in this session. */
export type Proof =
  /** The password there is. */
  | { readonly by: 'password'; readonly passwordHash: string }
  /** Nothing more: the session began with a sign-in link less than an hour ago. */
  | { readonly by: 'link' }
  /** Nothing more: a passkey showed who it is, in this session and less than a quarter of an hour ago. */
  | { readonly by: 'passkey' }
  /** A fresh sign-in link: there is no password, and this session is older than an hour. */
  | { readonly by: 'none' }

/**
 * A sign-in link is how a forgotten password is replaced, so a session that began with one may set a password without the
 * old one, for as long as a link lives. Anybody else at an open session would have to know it (OWASP ASVS 5.0, 6.2.3).
 */
export async function proofForPassword(
  db: Database,
  personId: number,
  sessionToken: string | null,
): Promise<Proof> {
  const row = await db
    .selectFrom('people')
    .select([
      'password_hash',
      isFromLink(personId, sessionToken).as('is_from_link'),
      isByPasskey(personId, sessionToken).as('is_by_passkey'),
    ])
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
  if (row.is_from_link) return { by: 'link' }
  if (row.is_by_passkey) return { by: 'passkey' }
  return row.password_hash === null ? { by: 'none' } : { by: 'password', passwordHash: row.password_hash }
}

/** What deleting the account asks of its owner in this session. */
export type LeavingProof =
  /** The password there is. */
  | { readonly by: 'password'; readonly passwordHash: string }
  /** Their name, typed: a link or a passkey showed who it is, less than a quarter of an hour ago. */
  | { readonly by: 'name' }
  /** To sign in again: there is no password, and the sign-in is older than that. */
  | { readonly by: 'none' }

/** What cannot be undone asks for more than proofForPassword: never for one press alone. */
export async function proofForLeaving(
  db: Database,
  personId: number,
  sessionToken: string | null,
): Promise<LeavingProof> {
  const row = await db
    .selectFrom('people')
    .select(['password_hash', isFresh(personId, sessionToken).as('is_fresh')])
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
  if (row.password_hash !== null && !row.is_fresh) return { by: 'password', passwordHash: row.password_hash }
  return { by: row.is_fresh ? 'name' : 'none' }
}

/** The words a guesser would try first for an account here: the forum's, its courses', the person's own. */
export async function guessableWords(
  db: Database,
  baseUrl: string,
  person: { readonly displayName: string; readonly email: string | null },
): Promise<string[]> {
  const courses = await db
    .selectFrom('courses as course')
    .select(['course.title', 'course.field'])
    .where(visibleTo(null))
    .limit(500)
    .execute()
  const ofCourses = courses.flatMap(({ title, field }) => [title, field])
  return ['handup', new URL(baseUrl).hostname, person.displayName, person.email ?? '', ...ofCourses]
}

function isFromLink(personId: number, sessionToken: string | null) {
  return sql<boolean>`exists (
    select from sessions as session
    where session.person_id = ${personId} and session.token_hash = ${hashToken(sessionToken ?? '')}
    and session.is_from_link and session.signed_in_at > now() - interval '1 hour')`
}

function isFresh(personId: number, sessionToken: string | null) {
  return sql<boolean>`exists (
    select from sessions where person_id = ${personId} and token_hash = ${hashToken(sessionToken ?? '')}
    and (passkey_at > now() - interval '15 minutes'
      or is_from_link and signed_in_at > now() - interval '15 minutes'))`
}

function isByPasskey(personId: number, sessionToken: string | null) {
  return sql<boolean>`exists (
    select from sessions where person_id = ${personId} and token_hash = ${hashToken(sessionToken ?? '')}
    and passkey_at > now() - interval '15 minutes')`
}
