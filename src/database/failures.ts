import { sql } from 'kysely'
import type { Database } from './schema.ts'

/** SQLSTATE classes and codes of temporary failures, from PostgreSQL's appendix A (Error Codes). */
const TEMPORARY = [
  /^08/, // connection exceptions
  /^53/, // out of connections, memory, disk
  /^57/, // shut down, starting up, statement timeout
  /^58/, // input/output errors
  /^40/, // serialization failure, deadlock
  /^55P03$/, // lock timeout
  /^25006$/, // read-only while failing over
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)$/,
]

const MESSAGES = [
  /timeout exceeded when trying to connect/,
  /Too many queries wait for a connection/,
  /Connection terminated/,
  /Client has encountered a connection error/,
  /Query read timeout/,
]

/** Whether a failed query may succeed when it is retried: the database is unavailable, overloaded or starting. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (code !== null && TEMPORARY.some((pattern) => pattern.test(code))) return true
  return MESSAGES.some((pattern) => pattern.test(error.message))
}

/** That a statement failed by itself, on a server that answers: its time limit, a conflict, its disk. */
const OF_A_STATEMENT = /^(40|55P03|57014|53(?!300)|58)/

/** Whether it failed for want of a connection: the server is away or restarting, or all connections are in use. */
export function isUnconnected(error: unknown): error is Error {
  return error instanceof Error && isUnavailable(error) && !OF_A_STATEMENT.test(codeOf(error) ?? '')
}

/** Whether the session is read-only: a standby, or a database in a failover. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '25006'
}

/** Whether a statement hit its lock timeout or a deadlock. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof Error && /^(55P03|40P01)$/.test(codeOf(error) ?? '')
}

/** Whether the server refuses the account or does not have the database: classes 28 and 3D, 42501. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && /^(28|3D|42501$)/.test(codeOf(error) ?? '')
}

/** Whether a parameter cannot be a value of its column: a forbidden character, or a number or date out of range. */
export function isUnstorable(error: unknown): boolean {
  return error instanceof Error && /^22(003|007|008|021|P02|P05)$/.test(codeOf(error) ?? '')
}

/** The foreign key that refused to let a row go, or to name one that is not there; null: it was something else. */
export function referenceIn(error: unknown): string | null {
  if (!(error instanceof Error) || !/^23(001|503)$/.test(codeOf(error) ?? '')) return null
  return 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : null
}

function codeOf(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Required free space on the server's disk: several times a long post with its indexes. */
const REQUIRED_KB = 1024

/**
 * Why posts would fail although the database answers; null: they would not. Concurrent calls share one check.
 * @throws Error when the database does not answer
 */
export function whyUnwritable(db: Database): Promise<string | null> {
  const known = looking.get(db)
  if (known !== undefined) return known
  const why = look(db).finally(() => looking.delete(db))
  looking.set(db, why)
  return why
}

const looking = new WeakMap<Database, Promise<string | null>>()

async function look(db: Database): Promise<string | null> {
  const { rows } = await sql<{ is_read_only: boolean }>`
    select current_setting('transaction_read_only') = 'on' as is_read_only`.execute(db)
  if (rows[0]?.is_read_only === true) return 'the database can only be read'
  try {
    await spill.execute(db)
    return null
  } catch (error) {
    if (error instanceof Error && codeOf(error) === '53100') return 'the disk of the database is full'
    throw error
  }
}

/**
 * A sort that exceeds its memory writes a temporary file beside the data: that needs disk space, and leaves nothing
 * behind, unlike a probe in a table. Both statements are one transaction.
 */
const spill = sql.raw(`
  set local work_mem = '64kB';
  with rows as materialized (select repeat('x', 1000) as text from generate_series(1, ${REQUIRED_KB}))
    select count(*) from rows as one cross join (select 1) as other where one.text is not null`)
