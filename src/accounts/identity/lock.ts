import type { Language, Row, Write } from '../../database/schema.ts'
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
 * Whatever changes an account, its links, sessions or second factor begins with this: two such changes come one after the
 * other, and never wait for each other. Several people are locked at once, in the order of their ids.
 * @returns those there are
 */
export async function lockPeople(write: Write, ids: readonly number[]): Promise<LockedPerson[]> {
  const rows = await peopleOf(write, ids).forUpdate().execute()
  return rows.map(lockedPerson)
}

function peopleOf(write: Write, ids: readonly number[]) {
  return write.selectFrom('people').select(LOCKED_COLUMNS).where('id', 'in', ids).orderBy('id')
}

/** The same for one; null when there is none. */
export async function lockPerson(write: Write, id: number): Promise<LockedPerson | null> {
  const [person] = await lockPeople(write, [id])
  return person ?? null
}

/**
 * The same for what gives or takes their roles: nothing of the accounts changes, so that who acts, and what they post meanwhile, need not
 * wait for it.
 */
export async function lockPeopleForRoles(write: Write, ids: readonly number[]): Promise<LockedPerson[]> {
  const rows = await peopleOf(write, ids).forNoKeyUpdate().execute()
  return rows.map(lockedPerson)
}

/** The same for the owner of an address, given in lower case; null when there is none. */
export async function lockAccountForRole(write: Write, email: string): Promise<LockedPerson | null> {
  const row = await write
    .selectFrom('people')
    .select(LOCKED_COLUMNS)
    .where('email', '=', email)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row === undefined ? null : lockedPerson(row)
}

/**
 * The same for somebody who does something in a session. Whatever they showed for it, their password or a link, was shown
 * before; a new password, an account taken back or deleted meanwhile has ended the session, and so it counts no more.
 * @throws NeedsSignIn
 */
export async function lockSignedIn(
  write: Write,
  personId: number,
  token: string | null,
): Promise<LockedPerson> {
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

const LOCKED_COLUMNS = ['id', 'email', 'email_confirmed_at', 'language', 'access_version'] as const

function lockedPerson(row: Pick<Row<'people'>, (typeof LOCKED_COLUMNS)[number]>): LockedPerson {
  return {
    id: row.id,
    email: row.email,
    isConfirmed: row.email_confirmed_at !== null,
    language: row.language,
    accessVersion: row.access_version,
  }
}
