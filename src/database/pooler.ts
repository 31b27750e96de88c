import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { openClient } from './hosts.ts'

/** Timeout of this check's queries: in a pooler with a single connection, one of them waits for the other. */
const QUERY_TIMEOUT_MS = 5000

const PREPARED = { name: 'handup_session', text: 'select pg_backend_pid() as pid' }

/** SQLSTATEs of a prepared statement that is missing or another client's, and of commands that a pooler refuses. */
const POOLED = /^(?:26000|42P05|08P01)$/

/**
 * Whether a connection keeps one server session, as LISTEN and prepared statements require. A pooler in
 * transaction mode (PgBouncer's pool_mode=transaction) silently breaks both.
 * @throws Error when the database does not answer
 */
export async function keepsSessions(url: string): Promise<boolean> {
  const timeouts = { query_timeout: QUERY_TIMEOUT_MS, connectionTimeoutMillis: QUERY_TIMEOUT_MS }
  const options = { application_name: 'handup check', ...timeouts }
  const one = await openClient(url, options)
  try {
    const other = await openClient(url, options)
    try {
      return (await keepsPrepared(one, other)) && (await hearsItself(one, other))
    } finally {
      await other.end()
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && POOLED.test(String(error.code))) return false
    throw error
  } finally {
    await one.end()
  }
}

/** While the other one has a transaction open, which through such a pooler occupies the most recently freed session. */
async function keepsPrepared(one: pg.Client, other: pg.Client): Promise<boolean> {
  const before = await one.query<{ pid: number }>(PREPARED)
  await other.query('begin')
  const after = await one.query<{ pid: number }>(PREPARED)
  await other.query('commit')
  return before.rows[0]?.pid === after.rows[0]?.pid
}

/** PostgreSQL delivers committed notifications before it answers the listener's next query. */
async function hearsItself(one: pg.Client, other: pg.Client): Promise<boolean> {
  const channel = `handup_${randomBytes(8).toString('hex')}`
  const heard: string[] = []
  one.on('notification', (message) => heard.push(message.channel))
  await one.query(`listen ${channel}`)
  await other.query(`notify ${channel}`)
  await one.query('')
  return heard.includes(channel)
}
