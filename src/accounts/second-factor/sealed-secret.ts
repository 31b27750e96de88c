import type { Database } from '../../database/schema.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { open, reseal, seal } from '../../secrets/sealed.ts'
import { SECRET_BYTES } from './totp.ts'

/** The purpose that authenticator secrets are sealed for. */
const PURPOSE = 'second-factor'

export function sealSecret(keys: SecretKeys, personId: number, secret: Buffer): Buffer {
  return seal(keys, PURPOSE, personId, secret.toString('hex'))
}

/** The secret in a stored value; null: no key opens it. */
export function openSecret(keys: SecretKeys, personId: number, stored: Buffer): Buffer | null {
  if (isPlain(stored)) return stored
  const hex = open(keys, PURPOSE, personId, stored)
  return hex === null ? null : Buffer.from(hex, 'hex')
}

/** Stored by a version that didn't seal secrets. */
function isPlain(stored: Buffer): boolean {
  return stored.length === SECRET_BYTES
}

/** Rows per statement. */
const ROWS = 500

/**
 * Seals with the first key what is sealed with another one, or not at all. Safe to repeat, and in several
 * processes at once.
 * @returns how many
 */
export async function renewSecrets(db: Database, keys: SecretKeys): Promise<number> {
  let count = 0
  for await (const { personId, secret: stored } of storedSecrets(db)) {
    const secret = isPlain(stored)
      ? sealSecret(keys, personId, stored)
      : reseal(keys, PURPOSE, personId, stored)
    if (secret === null) continue
    // Set up again meanwhile: then the new one is sealed already.
    const { numUpdatedRows } = await db
      .updateTable('second_factors')
      .set({ secret })
      .where('person_id', '=', personId)
      .where('secret', '=', stored)
      .executeTakeFirst()
    count += Number(numUpdatedRows)
  }
  return count
}

/** Addresses, or `person 7`, of people whose app secret no key opens. @param keys null: there is no SECRET */
export async function unreadableSecrets(db: Database, keys: SecretKeys | null): Promise<string[]> {
  const found: string[] = []
  for await (const { personId, email, secret } of storedSecrets(db))
    if (!isPlain(secret) && (keys === null || openSecret(keys, personId, secret) === null))
      found.push(email ?? `person ${personId}`)
  return found
}

async function* storedSecrets(db: Database) {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('second_factors')
      .innerJoin('people', 'people.id', 'second_factors.person_id')
      .select(['person_id as personId', 'people.email', 'second_factors.secret'])
      .where('person_id', '>', after)
      .orderBy('person_id')
      .limit(ROWS)
      .execute()
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS) return
    after = last.personId
  }
}
