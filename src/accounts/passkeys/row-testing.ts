import { randomBytes } from 'node:crypto'
import type { Database } from '../../database/schema.ts'
import { handleOf } from './passkey.ts'

/** A passkey in the database that no device has: for pages that show one. @returns its id */
export async function addPasskeyRow(db: Database, personId: number, name = 'A phone'): Promise<number> {
  await handleOf(db, personId)
  const { id } = await db
    .insertInto('passkeys')
    .values({
      person_id: personId,
      name,
      credential_id: randomBytes(32),
      public_key: randomBytes(77),
      counter: 0,
      transports: [],
      is_backup_eligible: true,
      is_backed_up: true,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
