import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import type { Access } from '../identity/access.ts'
import { type Circumstances, passwordChangedLetter } from '../identity/letters.ts'
import type { LockedPerson } from '../identity/lock.ts'
import { endWaysIn } from '../sessions/endings.ts'

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
