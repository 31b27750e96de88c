import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { secondFactorOnLetter } from '../identity/factor-letters.ts'
import type { Circumstances } from '../identity/letters.ts'
import type { OwnAccount } from '../identity/own-account.ts'
import { outdateAccess } from '../sessions/endings.ts'
import { endOtherSessions } from '../sessions/sessions.ts'
import { makeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'
import { openSecret, sealSecret } from './sealed-secret.ts'
import { newSecret, stepOf } from './totp.ts'
import { tellWithWayBack } from './way-back.ts'

/** A set-up that was left is nobody's to finish, who finds the session open later. */
const FRESH = sql<Date>`now() - interval '15 minutes'`

export interface SecondFactor {
  /** null: it was sealed with a SECRET that is known no more, so that no code is right. */
  readonly secret: Buffer | null
  /** Until an app has shown a right code, none is asked for. */
  readonly isOn: boolean
}

/** null: there is none, not even one being set up. */
export async function findSecondFactor(
  db: Database | Write,
  keys: SecretKeys,
  personId: number,
): Promise<SecondFactor | null> {
  const row = await db
    .selectFrom('second_factors')
    .select(['secret', 'confirmed_at'])
    .where('person_id', '=', personId)
    .where((where) => where.or([where('confirmed_at', 'is not', null), where('made_at', '>', FRESH)]))
    .executeTakeFirst()
  if (row === undefined) return null
  return { secret: openSecret(keys, personId, row.secret), isOn: row.confirmed_at !== null }
}

/** Begins to set one up, with a new secret. One that is on stays as it is. */
export async function beginSecondFactor(
  db: Database | Write,
  keys: SecretKeys,
  personId: number,
): Promise<void> {
  const secret = sealSecret(keys, personId, newSecret())
  await db
    .insertInto('second_factors')
    .values({ person_id: personId, secret })
    .onConflict((conflict) =>
      conflict
        .column('person_id')
        .doUpdateSet({ secret, made_at: sql`now()`, last_step: 0 })
        .where('second_factors.confirmed_at', 'is', null),
    )
    .execute()
}

/**
 * Turns one on that is being set up when the app shows a right code. Sessions elsewhere, which began without it, end; the owner is told.
 * @returns the recovery codes; null when the code is wrong
 */
export async function turnOn(
  write: Write,
  account: OwnAccount,
  factor: SecondFactor,
  code: string,
  circumstances: Circumstances,
): Promise<string[] | null> {
  const { id: personId, sessionToken } = account
  if (!(await isRightAppCode(write, personId, factor, code))) return null
  await write
    .updateTable('second_factors')
    .set({ confirmed_at: sql`now()` })
    .where('person_id', '=', personId)
    .execute()
  // A person who has only given the password so far was not asked for a code.
  await outdateAccess(write, personId)
  await endOtherSessions(write, personId, sessionToken)
  await tellWithWayBack(write, account, secondFactorOnLetter, circumstances)
  return makeRecoveryCodes(write, personId)
}

/** Whether a code is right: the app's of this half minute, once, or a recovery code, once. */
export async function useCode(
  write: Write,
  keys: SecretKeys,
  personId: number,
  code: string,
): Promise<boolean> {
  const factor = await findSecondFactor(write, keys, personId)
  // One that is still being set up signs nobody in.
  const isOfApp = factor?.isOn === true && (await isRightAppCode(write, personId, factor, code))
  return isOfApp || (await useRecoveryCode(write, personId, code))
}

/** The same, while a session begins: in a transaction of its own. */
export async function tryCode(
  db: Database,
  keys: SecretKeys,
  personId: number,
  code: string,
): Promise<boolean> {
  return db.transaction().execute((write) => useCode(write, keys, personId, code))
}

/** The six digits of an app's code, whatever blanks were typed; null: it is none. */
export function digitsOf(code: string): string | null {
  const digits = code.replace(/\s/g, '')
  return /^\d{6}$/.test(digits) ? digits : null
}

async function isRightAppCode(
  write: Write,
  personId: number,
  { secret }: SecondFactor,
  code: string,
): Promise<boolean> {
  const digits = digitsOf(code)
  if (digits === null || secret === null) return false
  const step = stepOf(secret, digits)
  if (step === null) return false
  // Of several tries with one code at once, one finds the step unused.
  const used = await write
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('person_id', '=', personId)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}
