import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { hashToken } from '../../web/tokens.ts'

/** Codes that a person gets at a time. */
export const RECOVERY_CODES = 8

/** Letters and digits that look like no other. Six groups of four are 119 bits, enough for a plain hash (ASVS 5.0, 6.5.2). */
const SIGNS = '23456789abcdefghjkmnpqrstuvwxyz'
const GROUPS = 6
const GROUP = 4

/** Replaces a person's recovery codes. @returns them, to be shown this once */
export async function makeRecoveryCodes(write: Write, personId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode)
  await write.deleteFrom('recovery_codes').where('person_id', '=', personId).execute()
  await write
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ person_id: personId, code_hash: hashToken(plain(code)) })))
    .execute()
  return codes
}

/** Uses a recovery code up. @returns whether it was good: of several tries at once only one is */
export async function useRecoveryCode(write: Write, personId: number, code: string): Promise<boolean> {
  const used = await write
    .updateTable('recovery_codes')
    .set({ used_at: sql`now()` })
    .where('person_id', '=', personId)
    .where('code_hash', '=', hashToken(plain(code)))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

export async function countRecoveryCodes(db: Database, personId: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)`.as('count'))
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

function newCode(): string {
  const group = () => Array.from({ length: GROUP }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** However it was typed: groups and capitals make no difference. */
function plain(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, '')
}
