import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { EmbeddedError } from '../database/embedded.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { databaseError } from '../start/problems.ts'
import { checkAdmins, checkCounters, checkPosts, checkSearch } from './contents.ts'
import { checkDisk } from './disk.ts'
import { type Finding, problem } from './finding.ts'
import { checkMailServer, checkOutbox } from './mail.ts'
import { checkMigrations, checkServer } from './server.ts'
import { checkAddress, checkNode, checkSecret } from './settings.ts'

/** Looks at everything an installation needs, and changes nothing: one finding after another. */
export async function* examine(
  environment: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<Finding> {
  yield checkNode(process.versions.node)
  const config = configOr(environment)
  if (config instanceof ConfigError) {
    yield problem('settings', config.message, 'set that variable right; the README’s table explains it')
    return
  }
  yield checkAddress(config)
  yield await checkSecret(config)
  yield await checkDisk(config.dataDir)
  yield await checkMailServer(config)
  yield* examineDatabase(config)
}

function configOr(environment: Readonly<Record<string, string | undefined>>): Config | ConfigError {
  try {
    return readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

async function* examineDatabase(config: Config): AsyncGenerator<Finding> {
  if (config.databaseUrl === null && !(await hasCluster(config.dataDir))) {
    yield problem('database', `${config.dataDir} holds none yet`, 'npm start makes one; or set DATABASE_URL')
    return
  }
  const opened = await openDatabase(config, { role: 'command', statementTimeout: 0, patience: 5000 }).catch(
    unopened,
  )
  if ('state' in opened) {
    yield opened
    return
  }
  try {
    yield* examineOpen(opened.db, config)
  } finally {
    await opened.close()
  }
}

async function* examineOpen(db: Database, config: Config): AsyncGenerator<Finding> {
  const refused = await sql`select`.execute(db).then(
    () => null,
    (error: unknown) => databaseError(error),
  )
  if (refused !== null) {
    const says = refused instanceof Error ? refused.message : String(refused)
    yield problem('database', says, 'start that server, or set DATABASE_URL right')
    return
  }
  yield* await checkServer(db)
  const migrations = await checkMigrations(db)
  yield migrations
  // Without its tables there is nothing to look at.
  if (migrations.state !== 'ok') return
  for (const check of [checkCounters, checkSearch, checkPosts, checkAdmins]) yield await check(db)
  yield await checkOutbox(db, config)
}

function unopened(error: unknown): Finding {
  if (error instanceof EmbeddedError) return problem('database', error.message, 'the message says what to do')
  throw error
}

/** Looking must not make one. */
async function hasCluster(dataDir: string): Promise<boolean> {
  return (await lstat(join(dataDir, 'postgres')).catch(() => null)) !== null
}
