import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Database, NewRow, Write } from '../../database/schema.ts'
import { apart, holder, owner, table } from '../../database/table.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { hasSecondFactor, notifyOfRemoval } from '../identity/factors.ts'
import type { Circumstances } from '../identity/letters.ts'
import { type InSession, type OwnAccount, ownAccount, ownWith } from '../identity/own-account.ts'
import { countOwnWays } from '../identity/ways.ts'
import { makeRecoveryCodes, notifyWithWayBack } from '../second-factor/second-factor.ts'
import { outdateAccess } from '../sessions/endings.ts'
import { endOtherSessions } from '../sessions/sessions.ts'
import { passkeyName } from './forms.ts'

export const passkeyTables = [
  table('passkey_holders', { person_id: holder }),
  // They refer to their holder, and go with it.
  table('passkeys', { person_id: apart(owner) }, { own: { ends: true } }),
]

/** A person's passkeys, oldest first, as they see them. `lastUsedAt` null: not since it was added. */
export function listPasskeys(db: Database, personId: number) {
  return db
    .selectFrom('passkeys')
    .select(['id', 'name', 'added_at as addedAt', 'last_used_at as lastUsedAt'])
    .where('person_id', '=', personId)
    .orderBy('added_at')
    .orderBy('id')
    .execute()
}
export type Passkey = Awaited<ReturnType<typeof listPasskeys>>[number]

/** Which passkeys may answer for a person, or need not be made again: `id` is base64url. */
export async function descriptorsOf(db: Database, personId: number) {
  const rows = await db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports'])
    .where('person_id', '=', personId)
    .execute()
  return rows.map((row) => ({ id: row.credential_id.toString('base64url'), transports: row.transports }))
}

export type Descriptors = Awaited<ReturnType<typeof descriptorsOf>>

/**
 * What a signature is checked against; `handle`: under which name the authenticator has to know its person.
 * @param credentialId base64url
 * @returns null when nobody here has it
 */
export async function findCredential(db: Database, credentialId: string) {
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

export type KnownCredential = NonNullable<Awaited<ReturnType<typeof findCredential>>>

/** Passkeys of one person: more than anybody's devices. */
export const MAX_PASSKEYS = 20

export type NewCredential = Omit<NewRow<'passkeys'>, 'person_id' | 'name'>

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
 * @returns these codes, to be shown this once; null: they have some
 * @throws Refused when they have as many as anybody may, or somebody has this one
 */
async function addPasskey(
  write: Write,
  account: OwnAccount,
  name: string,
  credential: NewCredential,
  circumstances: Circumstances,
): Promise<readonly string[] | null> {
  const { id: personId, sessionToken } = account
  const isFirst = !(await hasSecondFactor(write, personId))
  if ((await countPasskeys(write, personId)) >= MAX_PASSKEYS) throw refusal('adding', 'passkeys.many')
  const inserted = await write
    .insertInto('passkeys')
    .values({ ...credential, person_id: personId, name })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirstOrThrow()
  if (inserted.numInsertedOrUpdatedRows !== 1n) throw refusal('adding', 'passkeys.taken')
  await notifyWithWayBack(write, account, 'passkeyAdded', circumstances)
  if (!isFirst) return null
  // A person who has only given the password so far was asked for nothing else.
  await outdateAccess(write, personId)
  await endOtherSessions(write, personId, sessionToken)
  return makeRecoveryCodes(write, personId)
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

async function countPasskeys(write: Write, personId: number) {
  const { count } = await write
    .selectFrom('passkeys')
    .select(sql<number>`count(*)`.as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return count
}

const ownPasskey = ownWith<InSession & { readonly passkeyId: number }>

/** Adds a passkey. @returns recovery codes, to be shown this once, where it is the first second factor; null otherwise */
export const passkeyAddition = operation({
  name: 'add-passkey',
  right: 'have-account',
  find: ownAccount,
  limit: 'signIn',
  /** `made`: what an authenticator made of a challenge; the door checks that (registration.ts). */
  input: { name: passkeyName, made: z.custom<NewCredential>((value) => typeof value === 'object') },
  events: ['passkey-added'],
  async run({ write, subject, input: { name, made }, note, ...where }) {
    const recoveryCodes = await addPasskey(write, subject, name, made, where)
    note('passkey-added', {})
    return recoveryCodes
  },
})

export const passkeyRenaming = operation({
  name: 'rename-passkey',
  right: 'have-account',
  find: ownPasskey,
  limit: 'signIn',
  input: { name: passkeyName },
  events: ['passkey-renamed'],
  async run({ write, subject, input: { name }, note }) {
    const renamed = await write
      .updateTable('passkeys')
      .set({ name })
      .where('person_id', '=', subject.id)
      .where('id', '=', subject.passkeyId)
      .executeTakeFirst()
    if (renamed.numUpdatedRows !== 1n) throw notFound()
    note('passkey-renamed', {})
  },
})

/** Takes a passkey away; its owner is told. @returns 'last' when it is their only way to sign in, and stays */
export const passkeyRemoval = operation({
  name: 'remove-passkey',
  right: 'have-account',
  find: ownPasskey,
  limit: 'signIn',
  events: ['passkey-removed'],
  async run({ write, subject, note, ...where }) {
    if ((await countOwnWays(write, subject.id)) < 2) return 'last'
    const removed = await write
      .deleteFrom('passkeys')
      .where('person_id', '=', subject.id)
      .where('id', '=', subject.passkeyId)
      .executeTakeFirst()
    if (removed.numDeletedRows !== 1n) throw notFound()
    await notifyOfRemoval(write, subject, where)
    note('passkey-removed', {})
    return 'removed'
  },
})
