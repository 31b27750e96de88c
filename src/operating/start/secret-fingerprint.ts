import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { SecretKeys } from '../../secrets/keys.ts'

/**
 * Instances record hourly that they use their secret (housekeeping.ts): one seen within two hours counts as running.
 */
const IN_USE_MS = 2 * 60 * 60_000

/** How long an unused secret is remembered. */
const REMEMBERED = sql`interval '30 days'`

const BYTES = 16

/**
 * Records that the first secret is in use.
 * @returns a warning for the operator when a secret that isn't among these is or was in use: instances with different secrets refuse
 *   each other's forms, session cookies and links. null: there is only one
 */
export async function noteSecret(db: Database, keys: SecretKeys): Promise<string | null> {
  const [fingerprint, ...olds] = keys.map(fingerprintOf)
  if (fingerprint === undefined) return null
  const known = await db.selectFrom('secret_fingerprints').select(['fingerprint', 'used_at']).execute()
  const used_at = sql<Date>`now()`
  await db
    .insertInto('secret_fingerprints')
    .values({ fingerprint })
    .onConflict((conflict) => conflict.column('fingerprint').doUpdateSet({ used_at }))
    .execute()
  await db.deleteFrom('secret_fingerprints').where('used_at', '<', sql<Date>`now() - ${REMEMBERED}`).execute()
  const isNew = known.every((one) => !one.fingerprint.equals(fingerprint))
  const others = known.filter((one) => ![fingerprint, ...olds].some((ours) => ours.equals(one.fingerprint)))
  const last = Math.max(...others.map((one) => one.used_at.getTime()))
  if (others.length === 0 || !(isNew || Date.now() - last < IN_USE_MS)) return null
  return (
    `SECRET is not the one this database was used with until ${new Date(last).toISOString()}: forms and cookies signed with ` +
    'that one are refused, and so are links in emails. Give all instances the same SECRET; if you changed it on purpose, put the old ' +
    'one behind it: SECRET=new,old'
  )
}

function fingerprintOf(secret: string): Buffer {
  return createHmac('sha256', secret).update('handup secret').digest().subarray(0, BYTES)
}
