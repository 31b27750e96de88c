import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { hasSecondFactor } from '../identity/factors.ts'
import type { Circumstances } from '../identity/letters.ts'
import type { OwnAccount } from '../identity/own-account.ts'
import { makeRecoveryCodes } from '../second-factor/recovery-codes.ts'
import { tellWithWayBack } from '../second-factor/way-back.ts'
import { outdateAccess } from '../sessions/endings.ts'
import { endOtherSessions } from '../sessions/sessions.ts'
import { passkeyAddedLetter } from './letters.ts'

/** Passkeys of one person: more than anybody's devices. */
export const MAX_PASSKEYS = 20

/** What an authenticator made, checked. */
export interface NewCredential {
  readonly credentialId: Buffer
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
}

/** 'taken': somebody has it already. 'many': they have as many as anybody may. */
export type Added =
  | { readonly done: true; readonly recoveryCodes: readonly string[] | null }
  | { readonly done: false; readonly why: 'taken' | 'many' }

/** Under which name authenticators know a person: the same for all of theirs, made with the first. */
export async function handleOf(db: Database, personId: number): Promise<Buffer> {
  await db
    .insertInto('passkey_holders')
    .values({ person_id: personId, handle: randomBytes(32) })
    .onConflict((conflict) => conflict.column('person_id').doNothing())
    .execute()
  const { handle } = await db
    .selectFrom('passkey_holders')
    .select('handle')
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return handle
}

/**
 * Gives a person a passkey; they are told by mail. As their first second factor it brings recovery codes, and ends the
 * sessions elsewhere, which began without one.
 */
export async function addPasskey(
  write: Write,
  account: OwnAccount,
  name: string,
  credential: NewCredential,
  circumstances: Circumstances,
): Promise<Added> {
  const { id: personId, sessionToken } = account
  const isFirst = !(await hasSecondFactor(write, personId))
  if ((await countPasskeys(write, personId)) >= MAX_PASSKEYS) return { done: false, why: 'many' }
  const inserted = await write
    .insertInto('passkeys')
    .values({
      person_id: personId,
      name,
      credential_id: credential.credentialId,
      public_key: credential.publicKey,
      counter: credential.counter,
      transports: [...credential.transports],
      is_backup_eligible: credential.isBackupEligible,
      is_backed_up: credential.isBackedUp,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirstOrThrow()
  if (inserted.numInsertedOrUpdatedRows !== 1n) return { done: false, why: 'taken' }
  await tellWithWayBack(write, account, passkeyAddedLetter, circumstances)
  if (!isFirst) return { done: true, recoveryCodes: null }
  // A person who has only given the password so far was asked for nothing else.
  await outdateAccess(write, personId)
  await endOtherSessions(write, personId, sessionToken)
  return { done: true, recoveryCodes: await makeRecoveryCodes(write, personId) }
}

/**
 * Notes that a passkey signed.
 * @returns false when its counter has not grown meanwhile, though it counts: two hands hold the same key
 */
export async function markUsed(
  db: Database,
  passkeyId: number,
  { counter, isBackedUp }: { readonly counter: number; readonly isBackedUp: boolean },
): Promise<boolean> {
  const used = await db
    .updateTable('passkeys')
    .set({ counter, is_backed_up: isBackedUp, last_used_at: sql`now()` })
    .where('id', '=', passkeyId)
    .where((where) =>
      where.or([
        where('counter', '<', counter),
        where.and([where('counter', '=', 0), where.val(counter === 0)]),
      ]),
    )
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

async function countPasskeys(write: Write, personId: number): Promise<number> {
  const { count } = await write
    .selectFrom('passkeys')
    .select(sql<number>`count(*)`.as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return count
}
