import { sql } from 'kysely'
import { z } from 'zod'
import type { Database, Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { AddressTaken } from '../address/address.ts'
import { sendConfirmation } from '../address/email-confirmation.ts'
import { type Access, FIRST_ACCESS } from '../identity/access.ts'
import { displayName, email } from '../identity/fields.ts'
import { type Circumstances, writeTo } from '../identity/letters.ts'
import type { LockedPerson } from '../identity/lock.ts'
import { hashedPassword } from '../identity/passwords.ts'
import { endWaysIn } from '../sessions/endings.ts'

/**
 * Makes an account that works at once; a mail asks to confirm its address. `next`: a path of ours, where its owner is: confirming leads
 * back there. @throws AddressTaken
 */
export const signUp = operation({
  name: 'sign-up',
  right: 'visit',
  isForSuspended: true,
  find: async () => null,
  limit: 'signUp',
  input: { display_name: displayName(), email: email(), password: hashedPassword, next: z.string() },
  async run({
    write,
    input: { display_name: displayName, email, password, next },
    careful,
    ...where
  }): Promise<Access> {
    const isDoubted = careful?.isTrapped === true
    const account = { displayName, email, passwordHash: password.hash, isNewcomer: true, isDoubted }
    const personId = await createPerson(write, account)
    if (personId === null) throw new AddressTaken()
    await sendConfirmation(write, { id: personId, email, isConfirmed: false, language: null }, where, next)
    return { personId, accessVersion: FIRST_ACCESS }
  },
})

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
  /** Whether a program seems to have signed up: what they post waits for staff while they are a stranger. */
  readonly isDoubted?: boolean
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
      is_doubted: person.isDoubted ?? false,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

/** Sets a new password. All sessions and links of the old one end. The owner is told by mail. */
export async function setPassword(
  write: Write,
  person: LockedPerson,
  passwordHash: string,
  circumstances: Circumstances,
): Promise<Access> {
  await write.updateTable('people').set({ password_hash: passwordHash }).where('id', '=', person.id).execute()
  const access = await endWaysIn(write, person.id)
  await writeTo(write, person, 'passwordChanged', circumstances)
  return access
}
