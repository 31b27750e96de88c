import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { connect } from '../database/connection.ts'
import { migrate } from '../database/migrate.ts'

const MIGRATIONS = join(import.meta.dirname, '../../db/migrations')
/** Lock while a template is created, so that parallel test files create it once. An arbitrary unique number. */
const LOCK = 0x7e57_7e57

/** URLs of one server's databases. */
export function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

/**
 * Ensures that the server has a migrated, empty database to copy. Its name contains a hash of the migrations, so a
 * changed migration gets a new template.
 * @returns its name
 */
export async function ensureTemplate(serverUrl: string): Promise<string> {
  const name = `handup_template_${await migrationsHash()}`
  await withClient(serverUrl, async (client) => {
    if (await isTemplate(client, name)) return
    await client.query('select pg_advisory_lock($1)', [LOCK])
    if (await isTemplate(client, name)) return
    // Left under this name by an interrupted run.
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
    const db = connect(urlOf(serverUrl, name), { statementTimeout: 0 })
    await migrate(db).finally(() => db.destroy())
    await client.query(`alter database ${name} with is_template true allow_connections false`)
  })
  return name
}

/**
 * Copies a template.
 * @returns the new database's name
 */
export async function copyTemplate(serverUrl: string, template: string): Promise<string> {
  const name = `handup_test_${process.pid}_${randomBytes(5).toString('hex')}`
  await withClient(serverUrl, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  )
  return name
}

/** Drops a database and closes its connections. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`))
}

async function migrationsHash(): Promise<string> {
  const files = (await readdir(MIGRATIONS)).sort()
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(await readFile(join(MIGRATIONS, file)))
  return hash.digest('hex').slice(0, 12)
}

async function isTemplate(client: pg.Client, name: string): Promise<boolean> {
  const found = await client.query('select from pg_database where datname = $1 and datistemplate', [name])
  return found.rowCount === 1
}

async function withClient(serverUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
