import type { Database, Write } from '../../database/schema.ts'

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
