import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, ConfigError } from '../../config.ts'
import { makeFolder, readOnly } from '../../database/embedded/error.ts'
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

/** The secrets that sign and encrypt. */
export async function readSecretKeys(config: Config): Promise<SecretKeys> {
  return readKeys(await readSecret(config))
}
