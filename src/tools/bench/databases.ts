import { sql } from 'kysely'
import pg from 'pg'
import { connect } from '../../database/connection.ts'
import { migrate } from '../../database/migrate.ts'
import type { Database } from '../../database/schema.ts'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { loadForum } from '../generate/load.ts'

/** The generated forum with this many questions on a server; creates it if it is missing. Close it with destroy(). */
export async function forumOf(
  serverUrl: string,
  questions: number,
  say: (line: string) => void,
): Promise<Database> {
  const name = databaseName(questions)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await createDatabase(serverUrl, name)
  const db = connect(url.href, { connections: 2, connectionTimeout: 10_000, statementTimeout: 0 })
  await migrate(db)
  const { rows } = await sql<{ count: number }>`select count(*) as count from questions`.execute(db)
  if (rows[0]?.count === questions) return db
  say(`generating ${questions} questions in ${name}`)
  await loadForum(url.href, { questions, seed: 1, course: null }, { begin() {}, advance() {} })
  await refreshStatistics(db)
  await sql`vacuum analyze`.execute(db)
  return db
}

/** bench1k, bench1m. */
export function databaseName(questions: number): string {
  if (questions % 1_000_000 === 0) return `bench${questions / 1_000_000}m`
  return questions % 1000 === 0 ? `bench${questions / 1000}k` : `bench${questions}`
}

async function createDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    const known = await client.query('select from pg_database where datname = $1', [name])
    if (known.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}
