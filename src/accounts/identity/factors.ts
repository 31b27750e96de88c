import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { type Circumstances, writeTo } from './letters.ts'
import { type LockedPerson, lockPerson } from './lock.ts'

/** Factors beside the password: a confirmed app, a passkey. With any, the password alone signs in no more. */
export async function factorsOf(db: Database | Write, personId: number) {
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
export async function notifyOfRemoval(write: Write, person: LockedPerson, circumstances: Circumstances) {
  const isOff = await endUselessCodes(write, person.id)
  await writeTo(write, person, isOff ? 'secondFactorOff' : 'factorRemoved', circumstances)
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
export async function removeFactors(write: Write, personId: number, circumstances: Circumstances) {
  const person = await lockPerson(write, personId)
  const wasOn = await hasSecondFactor(write, personId)
  await deleteFactors(write, personId)
  if (wasOn && person !== null) await notifyOfRemoval(write, person, circumstances)
  return wasOn
}
