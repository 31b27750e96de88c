import { sql } from 'kysely'
import { unreadableProviders } from '../../accounts/providers/seal-secrets.ts'
import { sealPlainSecrets, unreadableSecrets } from '../../accounts/second-factor/seal-secrets.ts'
import type { Database } from '../../database/schema.ts'
import type { SecretKeys } from '../../secrets/keys.ts'

/** People that a line names at most. */
const NAMED = 10

/**
 * Seals secrets that an earlier version stored as they were. While another instance serves, which may be of that version and
 * would refuse codes, it is left to housekeeping.ts.
 */
export async function sealAtStart(db: Database, keys: SecretKeys): Promise<void> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and application_name = 'handup changes' limit 1`.execute(db)
  if (rows.length === 0) await sealPlainSecrets(db, keys)
}

/** One line for the operator about secrets that none of the keys opens; null: there are none. @param keys null: there is no SECRET */
export async function unreadableLine(db: Database, keys: SecretKeys | null): Promise<string | null> {
  const said = [await unreadableApps(db, keys), await unreadableClients(db, keys)].filter(
    (line) => line !== null,
  )
  return said.length === 0 ? null : said.join(' ')
}

async function unreadableClients(db: Database, keys: SecretKeys | null): Promise<string | null> {
  const names = await unreadableProviders(db, keys)
  if (names.length === 0) return null
  return (
    `SECRET can’t decrypt the client secrets of the sign-in providers ${names.join(', ')}: no one can sign in with them. ` +
    'Put the earlier SECRET behind it (SECRET=new,old), or enter them again on /admin/sign-in'
  )
}

async function unreadableApps(db: Database, keys: SecretKeys | null): Promise<string | null> {
  const people = await unreadableSecrets(db, keys)
  if (people.length === 0) return null
  const others = people.length > NAMED ? ` and ${people.length - NAMED} others` : ''
  return (
    `SECRET can’t decrypt the authenticator apps of ${people.slice(0, NAMED).join(', ')}${others}: their codes are refused. ` +
    'Put the earlier SECRET behind it (SECRET=new,old), or turn two-factor authentication off for each of them: ' +
    'handup user second-factor-off ACCOUNT'
  )
}
