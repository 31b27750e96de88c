import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Config, ConfigError, readConfig } from '../../config.ts'
import { EmbeddedError } from '../../database/embedded/embedded.ts'
import { openDatabase } from '../../database/open.ts'
import type { Database } from '../../database/schema.ts'
import { databaseError } from '../problems.ts'
import { handupVersion } from '../version.ts'
import { checkBackups } from './backups.ts'
import { checkAdmins, checkCounters, checkJobs, checkPosts, checkSchema, checkSearch } from './contents.ts'
import { checkClusters, checkDisk } from './disk.ts'
import { type Finding, ok, problem } from './finding.ts'
import { checkPictureFiles, checkPictures, checkRestores } from './pictures.ts'
import { checkMigrations, checkPooler, checkReplication, checkServer, checkTuning } from './server.ts'
import { checkAddress, checkMailServer, checkNode, checkSecret } from './settings.ts'

/** Checks everything an installation needs, without changing anything, and yields the findings. */
export async function* examine(
  environment: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<Finding> {
  yield ok('Handup', await handupVersion())
  yield checkNode(process.versions.node)
  let config: Config
  try {
    config = readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    yield problem('settings', error.message, 'correct that variable; see docs/configuration.md')
    return
  }
  yield checkAddress(config)
  yield await checkSecret(config)
  yield await checkDisk(config.dataDir)
  yield* await checkClusters(config.databaseUrl)
  yield await checkMailServer(config)
  yield await checkPictures(config)
  yield* await checkRestores(config)
  yield* await checkBackups(config, Date.now())
  yield* examineDatabase(config)
}

async function* examineDatabase(config: Config): AsyncGenerator<Finding> {
  // The check must not create a database.
  const cluster = await lstat(join(config.dataDir, 'postgres')).catch(() => null)
  if (config.databaseUrl === null && cluster === null) {
    yield problem(
      'database',
      `${config.dataDir} holds none yet`,
      'npm start creates one; or set DATABASE_URL',
    )
    return
  }
  const options = { role: 'command', statementTimeout: 0, connectionTimeout: 5000 } as const
  const opened = await openDatabase(config, options).catch(unopened)
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
    yield problem('database', says, 'start that server, or correct DATABASE_URL')
    return
  }
  const server = await checkServer(db)
  yield* server
  if (config.databaseUrl !== null) {
    yield* await checkPooler(config.databaseUrl)
    // One that is too old or unusable otherwise has other settings.
    if (server.every(({ state }) => state !== 'problem')) {
      yield* await checkTuning(db, config.workers)
      yield* await checkReplication(db)
    }
  }
  const migrations = await checkMigrations(db)
  yield migrations
  // Without tables there is no content to check.
  if (migrations.state !== 'ok') return
  for (const check of [checkSchema, checkCounters, checkSearch, checkPosts, checkAdmins])
    yield await check(db)
  yield await checkPictureFiles(db, config)
  yield await checkJobs(db, config)
}

function unopened(error: unknown): Finding {
  if (error instanceof EmbeddedError) return problem('database', error.message, 'the message says what to do')
  throw error
}
