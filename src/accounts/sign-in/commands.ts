import { sql } from 'kysely'
import type { Database, Language, Theme, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { Problem } from '../../operations/problem.ts'
import type { Access } from '../identity/access.ts'
import type { InSession } from '../identity/in-session.ts'
import { type Circumstances, passwordChangedLetter, passwordRemovedLetter } from '../identity/letters.ts'
import { type LockedPerson, lockSignedIn } from '../identity/lock.ts'
import { countOwnWays } from '../identity/own-ways.ts'
import { endWaysIn } from '../sessions/ways-in.ts'

export interface NewPerson {
  readonly displayName: string
  /** In lower case; null: a provider named them without one. */
  readonly email: string | null
  /** null: signs in by link only. */
  readonly passwordHash: string | null
  readonly isAdmin?: boolean
  /** Whether an operator vouches for the address. */
  readonly isConfirmed?: boolean
  /** Whether nobody of the forum made the account: for a day limits for newcomers hold. */
  readonly isNewcomer?: boolean
}

/** Makes an account. @returns its id; null when the address has one already */
export async function createPerson(write: Database | Write, person: NewPerson): Promise<number | null> {
  const row = await write
    .insertInto('people')
    .values({
      display_name: person.displayName,
      email: person.email,
      password_hash: person.passwordHash,
      is_admin: person.isAdmin ?? false,
      email_confirmed_at: person.isConfirmed === true ? sql<Date>`now()` : null,
      new_until: person.isNewcomer === true ? sql<Date>`now() + interval '1 day'` : null,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

export interface Profile {
  readonly displayName: string
  /** null: as the browser asks. */
  readonly language: Language | null
  /** null: the course's. */
  readonly timeZone: string | null
  readonly theme: Theme
}

/**
 * A name must not come back to an account that was deleted, nor change while it is taken out of posts that mention it.
 * @throws NeedsSignIn when the session has ended, Problem 403 while the account is being deleted
 */
export async function changeProfile(
  db: Database,
  { personId, sessionToken }: InSession,
  profile: Profile,
): Promise<void> {
  const { displayName, language, timeZone, theme } = profile
  await db.transaction().execute(async (write) => {
    await lockSignedIn(write, personId, sessionToken)
    const changed = await write
      .updateTable('people')
      .set({ display_name: displayName, language, time_zone: timeZone, theme })
      .where('id', '=', personId)
      .where('left_at', 'is', null)
      .executeTakeFirst()
    if (changed.numUpdatedRows === 0n) throw new Problem('leaving')
  })
}

/** Sets the new password of somebody who showed the one before. @throws NeedsSignIn when that was changed since */
export async function changePassword(
  db: Database,
  { personId, sessionToken }: InSession,
  passwordHash: string,
  circumstances: Circumstances,
): Promise<Access> {
  return db.transaction().execute(async (write) => {
    const person = await lockSignedIn(write, personId, sessionToken)
    return setPassword(write, person, passwordHash, circumstances)
  })
}

/**
 * Removes the password of somebody who showed it. All sessions and links end; the owner is told.
 * @returns what their next session begins with; null: it is their only way to sign in, and stays
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function removePassword(
  db: Database,
  { personId, sessionToken }: InSession,
  circumstances: Circumstances,
): Promise<Access | null> {
  return db.transaction().execute(async (write) => {
    const { email, isConfirmed, language } = await lockSignedIn(write, personId, sessionToken)
    if ((await countOwnWays(write, personId)) < 2) return null
    await write.updateTable('people').set({ password_hash: null }).where('id', '=', personId).execute()
    const access = await endWaysIn(write, personId)
    if (email !== null)
      await writeMail(write, passwordRemovedLetter({ personId, email, isConfirmed, language }, circumstances))
    return access
  })
}

/** Sets a new password. All sessions and links of the old one end. The owner is told by mail. */
export async function setPassword(
  write: Write,
  { id: personId, email, isConfirmed, language }: LockedPerson,
  passwordHash: string,
  circumstances: Circumstances,
): Promise<Access> {
  await write.updateTable('people').set({ password_hash: passwordHash }).where('id', '=', personId).execute()
  const access = await endWaysIn(write, personId)
  if (email !== null)
    await writeMail(write, passwordChangedLetter({ personId, email, isConfirmed, language }, circumstances))
  return access
}
