import { sql } from 'kysely'
import { visibleTo } from '../courses/visibility.ts'
import type { Database } from '../database/schema.ts'
import { hashToken } from './tokens.ts'

export interface Account {
  readonly id: number
  /** null: signs in by link only. */
  readonly passwordHash: string | null
  readonly accessVersion: number
}

/** The account of an e-mail address in lower case; null when it has none. */
export async function findAccount(db: Database, email: string): Promise<Account | null> {
  const row = await db
    .selectFrom('people')
    .select(['id', 'password_hash as passwordHash', 'access_version as accessVersion'])
    .where('email', '=', email)
    .executeTakeFirst()
  return row ?? null
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

function isByPasskey(personId: number, sessionToken: string | null) {
  return sql<boolean>`exists (
    select from sessions where person_id = ${personId} and token_hash = ${hashToken(sessionToken ?? '')}
    and passkey_at > now() - interval '15 minutes')`
}
