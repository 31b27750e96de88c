import { createHmac, randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { unreadableProviders } from '../../accounts/providers/seal-secrets.ts'
import { unreadableSecrets } from '../../accounts/second-factor/sealed-secret.ts'
import { type Config, ConfigError } from '../../config.ts'
import { makeFolder, readOnly } from '../../database/embedded/error.ts'
import type { Database } from '../../database/schema.ts'
import { unreadableWebhooks } from '../../forum/webhooks/webhook.ts'
import { MIN_SECRET_LENGTH, problemOfSecret, readKeys, type SecretKeys } from '../../secrets/keys.ts'

/** Reads SECRET (src/secrets/keys.ts), or the one created at the first start and kept in DATA_DIR, readable by its owner only. */
export async function readSecret(config: Config): Promise<string> {
  if (config.secret !== null) return config.secret
  const file = join(config.dataDir, 'secret')
  const found = await stat(config.dataDir).catch(() => null)
  if (found?.isDirectory() === false)
    throw new ConfigError(`DATA_DIR ${config.dataDir} is a file: name a folder`)
  try {
    await makeFolder(config.dataDir)
    // wx: of two first starts at once, the second reads what the first wrote.
    await writeFile(file, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EROFS') throw new ConfigError(readOnly(config.dataDir))
    if (code !== 'EEXIST')
      throw new ConfigError(
        `DATA_DIR ${config.dataDir} can’t be written: ${error instanceof Error ? error.message : error}`,
      )
  }
  const secret = await readFile(file, 'utf8').catch((error: Error) => {
    throw new ConfigError(`DATA_DIR: ${file} can’t be read (${error.message}): fix that, or set SECRET`)
  })
  if (secret.trim().length < MIN_SECRET_LENGTH)
    throw new ConfigError(
      `DATA_DIR: ${file} contains no secret: put the right one back, or delete the file for a new one`,
    )
  const problem = problemOfSecret(secret.trim())
  if (problem !== null) throw new ConfigError(`DATA_DIR: ${file} ${problem}`)
  return secret.trim()
}

/** The secrets that are there already; null: none was set, and none was made yet. */
export async function existingSecretKeys(config: Config): Promise<SecretKeys | null> {
  if (config.secret !== null) return readKeys(config.secret)
  const isMade = await stat(join(config.dataDir, 'secret')).catch(() => null)
  return isMade === null ? null : readSecretKeys(config)
}

export async function readSecretKeys(config: Config): Promise<SecretKeys> {
  return readKeys(await readSecret(config))
}

/** People that a line names at most. */
const NAMED = 10

/** One line for the operator about secrets that none of the keys opens; null: there are none. @param keys null: there is no SECRET */
export async function unreadableLine(db: Database, keys: SecretKeys | null): Promise<string | null> {
  const people = await unreadableSecrets(db, keys)
  const others = people.length > NAMED ? ` and ${people.length - NAMED} others` : ''
  const apps =
    `SECRET can’t decrypt the authenticator apps of ${people.slice(0, NAMED).join(', ')}${others}: their codes are refused. ` +
    'Put the earlier SECRET behind it (SECRET=new,old), or turn two-factor authentication off for each of them: ' +
    'handup user second-factor-off ACCOUNT'
  const names = await unreadableProviders(db, keys)
  const clients =
    `SECRET can’t decrypt the client secrets of the sign-in providers ${names.join(', ')}: no one can sign in with them. ` +
    'Put the earlier SECRET behind it (SECRET=new,old), or enter them again on /admin/sign-in'
  const webhooks = await unreadableWebhooks(db, keys)
  const addresses =
    `SECRET can’t decrypt the addresses of ${webhooks.length} webhooks (${webhooks.slice(0, NAMED).join(', ')}): nothing is sent there. ` +
    'Put the earlier SECRET behind it (SECRET=new,old), or end them and make new ones'
  const lines = [people.length > 0 && apps, names.length > 0 && clients, webhooks.length > 0 && addresses]
  return lines.filter(Boolean).join(' ') || null
}

/**
 * Instances record hourly that they use their secret (housekeeping.ts): one seen within two hours counts as
 * running.
 */
const IN_USE_MS = 2 * 60 * 60_000

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
  await sql`delete from secret_fingerprints where used_at < now() - interval '30 days'`.execute(db)
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
  return createHmac('sha256', secret).update('handup secret').digest().subarray(0, 16)
}
