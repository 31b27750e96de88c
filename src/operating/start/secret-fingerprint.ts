import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/**
 * Instances record hourly that they use their secret (housekeeping.ts): one seen within two hours counts as running.
 */
const IN_USE_MS = 2 * 60 * 60_000

/** How long an unused secret is remembered. */
const REMEMBERED = sql`interval '30 days'`

const BYTES = 16

/**
 * Records that this secret is in use.
 * @returns a warning for the operator when another secret is or was in use: instances with different secrets refuse
 *   each other's forms, session cookies and links. null: there is only one
 */
export async function noteSecret(db: Database, secret: string): Promise<string | null> {
  const fingerprint = createHmac('sha256', secret).update('handup secret').digest().subarray(0, BYTES)
  const known = await db.selectFrom('secret_fingerprints').select(['fingerprint', 'used_at']).execute()
  const used_at = sql<Date>`now()`
  await db
    .insertInto('secret_fingerprints')
    .values({ fingerprint })
    .onConflict((conflict) => conflict.column('fingerprint').doUpdateSet({ used_at }))
    .execute()
  await db.deleteFrom('secret_fingerprints').where('used_at', '<', sql<Date>`now() - ${REMEMBERED}`).execute()
  const others = known.filter((one) => !one.fingerprint.equals(fingerprint))
  const isNew = others.length === known.length
  const last = Math.max(...others.map((one) => one.used_at.getTime()))
  if (others.length === 0 || !(isNew || Date.now() - last < IN_USE_MS)) return null
  return (
    `SECRET is not the one this database was used with until ${new Date(last).toISOString()}: forms and cookies signed with ` +
    'that one are refused. Give all instances the same SECRET; if you changed it on purpose, people only have to sign in again'
  )
}
