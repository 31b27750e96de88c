import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database, Write } from '../../database/schema.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import { hashToken } from '../../web/tokens.ts'
import { type Asked, FRESH_MINUTES, minutesWithout, type Proving } from './ways.ts'

/** The account of an address in lower case, or null. `passwordHash` null: it has no password. */
export async function findAccount(db: Database | Write, email: string) {
  const row = await db
    .selectFrom('people')
    .select(['id', 'password_hash as passwordHash', 'access_version as accessVersion'])
    .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
    .where('email', '=', email)
    .executeTakeFirst()
  return row ?? null
}
export type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>

/** null: the account has no password, or is not there. */
export async function findPasswordHash(db: Database, personId: number): Promise<string | null> {
  const row = await db
    .selectFrom('people')
    .select('password_hash')
    .where('id', '=', personId)
    .executeTakeFirst()
  return row?.password_hash ?? null
}

/** What a change of the account, or a key to it, asks of its owner in this session. */
type Proof =
  /** The password there is. */
  | { readonly by: 'password'; readonly passwordHash: string }
  /** Nothing more: this showed who it is, in this session, and replaces the password still (ways.ts). */
  | { readonly by: Exclude<Proving, 'password'> | 'typed-password' }
  /** A fresh sign-in link: there is no password, and this session began too long ago. */
  | { readonly by: 'none' }

/** Anybody at an open session would have to know the password (OWASP ASVS 5.0, 6.2.3), unless its way in was proof enough. */
export async function proofForPassword(
  db: Database | Write,
  personId: number,
  sessionToken: string | null,
  asked: Asked = 'way-in',
): Promise<Proof> {
  const { passwordHash, proof, minutes } = await provedIn(db, personId, sessionToken)
  if (proof !== null && minutes < minutesWithout(proof, passwordHash !== null, asked))
    return { by: proof === 'password' ? 'typed-password' : proof }
  return passwordHash === null ? { by: 'none' } : { by: 'password', passwordHash }
}

/**
 * What deleting the account asks of its owner in this session. It cannot be undone, so it is more than proofForPassword: never one press
 * alone. `name`: to type it, as a link or a passkey showed who it is less than a quarter of an hour ago. `none`: to sign in again, as there
 * is no password, and the sign-in is older than that.
 */
export async function proofForLeaving(db: Database | Write, personId: number, sessionToken: string | null) {
  const { passwordHash, proof, minutes } = await provedIn(db, personId, sessionToken)
  const isFresh =
    proof !== null &&
    minutes < Math.min(FRESH_MINUTES, minutesWithout(proof, passwordHash !== null, 'way-in'))
  if (passwordHash !== null && !isFresh) return { by: 'password', passwordHash } as const
  return { by: isFresh ? 'name' : 'none' } as const
}

/** The words a guesser would try first for an account here: the forum's, its courses', the person's own. */
export async function guessableWords(
  { db, config }: { readonly db: Database; readonly config: Pick<Config, 'baseUrl'> },
  person: { readonly displayName: string; readonly email: string | null },
): Promise<string[]> {
  const courses = await db
    .selectFrom('courses as course')
    .select(['course.title', 'course.field'])
    .where(visibleTo(null))
    .limit(500)
    .execute()
  const ofCourses = courses.flatMap(({ title, field }) => [title, field])
  return ['handup', new URL(config.baseUrl).hostname, person.displayName, person.email ?? '', ...ofCourses]
}

/** A person's password, and what this session began with that replaces it, so many minutes ago. */
async function provedIn(db: Database | Write, personId: number, sessionToken: string | null) {
  return db
    .selectFrom('people as person')
    .leftJoin('sessions as session', (join) =>
      join
        .onRef('session.person_id', '=', 'person.id')
        .on('session.token_hash', '=', hashToken(sessionToken ?? '')),
    )
    .select(['person.password_hash as passwordHash', 'session.proof'])
    .select(sql<number>`coalesce(extract(epoch from now() - session.proved_at) / 60, 0)::float`.as('minutes'))
    .where('person.id', '=', personId)
    .executeTakeFirstOrThrow()
}
