import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { type ConnectionOptions, connect } from '../database/connection.ts'
import { migrate } from '../database/migrate.ts'
import { functionFiles, migrationFiles, tableFiles } from '../database/migrations/files.ts'
import type { TestServer } from './server.ts'

/** Lock while a template is created, so that parallel test files create it once. An arbitrary unique number. */
const LOCK = 0x7e57_7e57

/** With production timeouts, outcomes would depend on the machine's load. */
export const PATIENT: ConnectionOptions = { connectionTimeout: 60_000, statementTimeout: 60_000 }

const pools = new Map<string, pg.Pool>()

/** URLs of one server's databases. */
export function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

/** The same through the server's Unix socket, where it has one: a query costs both sides half of what it does through TCP. */
export function socketUrlOf({ url, socketFolder }: TestServer, database: string): string {
  const address = new URL(urlOf(url, database))
  if (socketFolder !== null) {
    address.searchParams.set('host', socketFolder)
    address.searchParams.set('port', address.port)
  }
  return address.href
}

/**
 * Ensures that the server has a migrated, empty database to copy.
 * @returns its name
 */
export function ensureTemplate(serverUrl: string): Promise<string> {
  return ensureFilled(serverUrl, 'template', 'template1', async (url) => {
    const db = connect(url, { statementTimeout: 0 })
    await migrate(db).finally(() => db.destroy())
  })
}

/**
 * Ensures that the server has a database of this kind to copy. Its name contains a hash of the schema, so a changed one
 * gets a new one.
 * @param from the database that it begins as
 * @param fill called once for each server, with the URL of the new database
 * @returns its name
 */
export async function ensureFilled(
  serverUrl: string,
  kind: string,
  from: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  const name = `handup_${kind}_${await schemaHash()}`
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    if (await isTemplate(client, name)) return name
    await client.query('select pg_advisory_lock($1)', [LOCK])
    if (await isTemplate(client, name)) return name
    // Left under this name by an interrupted run.
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name} template ${from}`)
    await fill(urlOf(serverUrl, name))
    await client.query(`alter database ${name} with is_template true allow_connections false`)
    return name
  } finally {
    // Which frees the lock.
    await client.end()
  }
}

/**
 * Copies a template.
 * @returns the new database's name
 */
export async function copyTemplate(serverUrl: string, template: string): Promise<string> {
  const name = `handup_test_${process.pid}_${randomBytes(5).toString('hex')}`
  await serverPool(serverUrl).query(`create database ${name} template ${template} strategy file_copy`)
  return name
}

/** Drops a database and closes its connections. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await serverPool(serverUrl).query(`drop database if exists ${name} with (force)`)
}

async function schemaHash(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [...(await tableFiles()), ...(await migrationFiles()), ...(await functionFiles())])
    hash.update(file.name).update(file.hash)
  return hash.digest('hex').slice(0, 12)
}

async function isTemplate(client: pg.Client, name: string): Promise<boolean> {
  const found = await client.query('select from pg_database where datname = $1 and datistemplate', [name])
  return found.rowCount === 1
}

/** One connection that stays open, as opening one costs half as much as copying a database; it keeps no process alive. */
function serverPool(serverUrl: string): pg.Pool {
  const known = pools.get(serverUrl)
  if (known !== undefined) return known
  const pool = new pg.Pool({
    connectionString: serverUrl,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  // The server may be stopped first.
  pool.on('error', () => {})
  pools.set(serverUrl, pool)
  return pool
}
