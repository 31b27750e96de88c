import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { apart, holder, owner, table } from '../../database/table.ts'
import { hasSecondFactor } from '../identity/factors.ts'
import type { Circumstances } from '../identity/letters.ts'
import type { OwnAccount } from '../identity/own-account.ts'
import { makeRecoveryCodes, notifyWithWayBack } from '../second-factor/second-factor.ts'
import { outdateAccess } from '../sessions/endings.ts'
import { endOtherSessions } from '../sessions/sessions.ts'

export const passkeyTables = [
  table('passkey_holders', { person_id: holder }),
  // They refer to their holder, and go with it.
  table('passkeys', { person_id: apart(owner) }, { own: { ends: true } }),
]

/** A passkey, as its owner sees it. */
export interface Passkey {
  readonly id: number
  readonly name: string
  readonly addedAt: Date
  /** null: not since it was added. */
  readonly lastUsedAt: Date | null
}

/** A passkey, as authenticators know it. */
export interface Descriptor {
  /** base64url. */
  readonly id: string
  readonly transports: readonly string[]
}

/** What a signature is checked against. */
export interface KnownCredential {
  readonly passkeyId: number
  readonly personId: number
  /** people.access_version. */
  readonly accessVersion: number
  /** Under which name the authenticator has to know them. */
  readonly handle: Buffer
  readonly publicKey: Buffer
  readonly counter: number
  readonly isBackupEligible: boolean
}

const SHOWN = ['id', 'name', 'added_at as addedAt', 'last_used_at as lastUsedAt'] as const

/** A person's passkeys, oldest first. */
export async function listPasskeys(db: Database, personId: number): Promise<Passkey[]> {
  return db
    .selectFrom('passkeys')
    .select(SHOWN)
    .where('person_id', '=', personId)
    .orderBy('added_at')
    .orderBy('id')
    .execute()
}

/** One of a person's; null: it is not theirs, or there is none. */
export async function findPasskey(db: Database, personId: number, id: number): Promise<Passkey | null> {
  const row = await db
    .selectFrom('passkeys')
    .select(SHOWN)
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Which passkeys may answer for a person, or need not be made again. */
export async function descriptorsOf(db: Database, personId: number): Promise<Descriptor[]> {
  const rows = await db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports'])
    .where('person_id', '=', personId)
    .execute()
  return rows.map((row) => ({ id: row.credential_id.toString('base64url'), transports: row.transports }))
}

/** @param credentialId base64url. @returns null when nobody here has it */
export async function findCredential(
  db: Database | Write,
  credentialId: string,
): Promise<KnownCredential | null> {
  const row = await db
    .selectFrom('passkeys as passkey')
    .innerJoin('passkey_holders as holder', 'holder.person_id', 'passkey.person_id')
    .innerJoin('people as person', 'person.id', 'passkey.person_id')
    .select(['passkey.id as passkeyId', 'passkey.person_id as personId', 'holder.handle'])
    .select('person.access_version as accessVersion')
    .select(['public_key as publicKey', 'counter', 'is_backup_eligible as isBackupEligible'])
    .where('credential_id', '=', Buffer.from(credentialId, 'base64url'))
    .executeTakeFirst()
  return row ?? null
}

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
  await notifyWithWayBack(write, account, 'passkeyAdded', circumstances)
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
