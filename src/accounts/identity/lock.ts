import { sql } from 'kysely'
import type { Language, Write } from '../../database/schema.ts'
import { NeedsSignIn } from '../../kernel/problem.ts'
import { hashToken } from '../../web/tokens.ts'

/** A person whose account no other transaction can change until this one ends. */
export interface LockedPerson {
  readonly id: number
  /** null: the account has no address. */
  readonly email: string | null
  readonly isConfirmed: boolean
  readonly language: Language | null
  readonly accessVersion: number
}

/**
 * Whatever changes an account, its links, sessions or second factor begins with this, so that two such
 * changes come one after the other. Several people are locked in the order of their ids: no two changes wait
 * for each other.
 * @returns those there are
 */
export function lockPeople(write: Write, ids: readonly number[]): Promise<LockedPerson[]> {
  return people(write).where('id', 'in', ids).orderBy('id').forUpdate().execute()
}

function people(write: Write) {
  return write
    .selectFrom('people')
    .select(['id', 'email', 'language', 'access_version as accessVersion'])
    .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
}

/** The same for one; null when there is none. */
export async function lockPerson(write: Write, id: number): Promise<LockedPerson | null> {
  const [person] = await lockPeople(write, [id])
  return person ?? null
}

/** The same for what changes their roles alone: who acts, and what they post meanwhile, need not wait. */
export function lockPeopleForRoles(write: Write, ids: readonly number[]): Promise<LockedPerson[]> {
  return people(write).where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()
}

/** The same for the owner of an address, given in lower case; null when there is none. */
export async function lockAccountForRole(write: Write, email: string): Promise<LockedPerson | null> {
  const person = await people(write).where('email', '=', email).forNoKeyUpdate().executeTakeFirst()
  return person ?? null
}

/**
 * The same for who acts in a session: one that has ended, by a new password or the like, counts no more.
 * @throws NeedsSignIn
 */
export async function lockSignedIn(write: Write, personId: number, token: string | null) {
  const person = await lockPerson(write, personId)
  const session = await write
    .selectFrom('sessions')
    .select('person_id')
    .where('token_hash', '=', hashToken(token ?? ''))
    .where('person_id', '=', personId)
    .executeTakeFirst()
  if (session === undefined || person === null) throw new NeedsSignIn()
  return person
}
