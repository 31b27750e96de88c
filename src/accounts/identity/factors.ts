import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { pathWith } from '../../web/paths.ts'
import { type Addressee, accountLetter, type Circumstances, type Where } from './letters.ts'
import { lockPerson } from './lock.ts'

/** What a person has beside the password. With any of it, the password alone signs in no more. */
export interface Factors {
  /** An authenticator app that has shown a right code. */
  readonly hasApp: boolean
  readonly hasPasskey: boolean
}

export async function factorsOf(db: Database | Write, personId: number): Promise<Factors> {
  return db
    .selectNoFrom([
      sql<boolean>`exists (select from second_factors
        where person_id = ${personId} and confirmed_at is not null)`.as('hasApp'),
      sql<boolean>`exists (select from passkeys where person_id = ${personId})`.as('hasPasskey'),
    ])
    .executeTakeFirstOrThrow()
}

export async function hasSecondFactor(db: Database | Write, personId: number): Promise<boolean> {
  const { hasApp, hasPasskey } = await factorsOf(db, personId)
  return hasApp || hasPasskey
}

/** Tells the owner that an app or a passkey is gone. The last one takes the recovery codes with it. */
export async function notifyOfRemoval(
  write: Write,
  personId: number,
  circumstances: Circumstances,
): Promise<void> {
  const isOn = !(await endUselessCodes(write, personId))
  const person = await addresseeOf(write, personId)
  const letter = isOn ? factorRemovedLetter : secondFactorOffLetter
  if (person !== null) await writeMail(write, letter(person, circumstances))
}

/** Recovery codes stand in for something: without an app or a passkey they go. @returns whether they had to */
export async function endUselessCodes(write: Write, personId: number): Promise<boolean> {
  if (await hasSecondFactor(write, personId)) return false
  await write.deleteFrom('recovery_codes').where('person_id', '=', personId).execute()
  return true
}

/** Removes every way to sign in but the password, whoever added them. The person is locked. */
export async function deleteOtherWays(write: Write, personId: number): Promise<void> {
  await deleteFactors(write, personId)
  await write.deleteFrom('linked_accounts').where('person_id', '=', personId).execute()
}

/** Removes all factors of a person. The person is locked. */
async function deleteFactors(write: Write, personId: number): Promise<void> {
  await write.deleteFrom('second_factors').where('person_id', '=', personId).execute()
  await write.deleteFrom('passkey_holders').where('person_id', '=', personId).execute()
  await write.deleteFrom('recovery_codes').where('person_id', '=', personId).execute()
}

/** The same for a person who lost them; they are told. @returns false when there was none */
export async function removeFactors(
  write: Write,
  personId: number,
  circumstances: Circumstances,
): Promise<boolean> {
  await lockPerson(write, personId)
  const wasOn = await hasSecondFactor(write, personId)
  await deleteFactors(write, personId)
  if (wasOn) await notifyOfRemoval(write, personId, circumstances)
  return wasOn
}

/** Tells that signing in needs a code from now on, with the way back: an owner who did not turn it on cannot sign in. */
export const secondFactorOnLetter = (token: string, ...where: Where) =>
  accountLetter('secondFactorOn', pathWith('/undo-second-factor', { token }), ...where)

/** Tells that the recovery codes are others now. */
export const recoveryCodesLetter = (...where: Where) =>
  accountLetter('recoveryCodes', '/forgotten-password', ...where)

/** Tells that it needs none any more. */
const secondFactorOffLetter = (...where: Where) =>
  accountLetter('secondFactorOff', '/forgotten-password', ...where)

/** Tells that an app or a passkey is gone, while another is still asked for. */
const factorRemovedLetter = (...where: Where) =>
  accountLetter('factorRemoved', '/forgotten-password', ...where)

/** Whom a letter about an account goes to; null: it has no address. */
async function addresseeOf(write: Write, personId: number): Promise<Addressee | null> {
  const { email, isConfirmed, language } = await write
    .selectFrom('people')
    .select(['email', 'language'])
    .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
  return email === null ? null : { personId, email, isConfirmed, language }
}
