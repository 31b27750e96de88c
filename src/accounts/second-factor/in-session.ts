import type { Database } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { recoveryCodesLetter } from '../identity/factor-letters.ts'
import { hasSecondFactor } from '../identity/factors.ts'
import type { InSession } from '../identity/in-session.ts'
import type { Circumstances } from '../identity/letters.ts'
import { lockSignedIn } from '../identity/lock.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import { beginSecondFactor, turnOff } from './second-factor.ts'

/** Begins to set one up in a session, with a new secret. One that is on stays as it is. @throws NeedsSignIn when the session has ended */
export async function setUpSecondFactor(
  db: Database,
  keys: SecretKeys,
  { personId, sessionToken }: InSession,
): Promise<void> {
  await db.transaction().execute(async (write) => {
    await lockSignedIn(write, personId, sessionToken)
    await beginSecondFactor(write, keys, personId)
  })
}

/**
 * Replaces the recovery codes; the owner is told.
 * @returns them, to be shown this once; null when no second factor is on
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function renewRecoveryCodes(
  db: Database,
  { personId, sessionToken }: InSession,
  circumstances: Circumstances,
): Promise<string[] | null> {
  return db.transaction().execute(async (write) => {
    const { email, isConfirmed, language } = await lockSignedIn(write, personId, sessionToken)
    if (!(await hasSecondFactor(write, personId))) return null
    if (email !== null)
      await writeMail(write, recoveryCodesLetter({ personId, email, isConfirmed, language }, circumstances))
    return makeRecoveryCodes(write, personId)
  })
}

/** Turns it off in a session. @throws NeedsSignIn when that has ended meanwhile */
export async function turnOffInSession(
  db: Database,
  { personId, sessionToken }: InSession,
  circumstances: Circumstances,
): Promise<void> {
  await db.transaction().execute(async (write) => {
    await lockSignedIn(write, personId, sessionToken)
    await turnOff(write, personId, circumstances)
  })
}
