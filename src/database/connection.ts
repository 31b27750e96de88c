import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database, Schema } from './schema.ts'

export interface ConnectionOptions {
  /** Connections kept at the most; requests beyond wait `patience`. */
  readonly connections?: number
  /** Milliseconds to wait for a free connection before giving up. */
  readonly patience?: number
  /** Milliseconds one statement may take; 0: as long as it needs (imports, migrations). */
  readonly statementTimeout?: number
  readonly onError?: (error: Error) => void
  /** Gets each connection as it is made, for what Kysely has no words for, such as COPY. */
  readonly onConnection?: (client: pg.PoolClient) => void
}

const INT8 = 20

/** Opens a pool on a PostgreSQL address. Nothing connects before the first query. */
export function connect(url: string, options: ConnectionOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: options.patience ?? 2500,
    statement_timeout: options.statementTimeout ?? 2500,
    lock_timeout: options.statementTimeout ?? 2500,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
    application_name: 'handup',
    types: { getTypeParser },
  })
  // A connection cut while idle must not end the process: the pool opens another for the next query.
  pool.on('error', (error) => options.onError?.(error))
  pool.on('connect', (client) => options.onConnection?.(client))
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

/** Ids and counts are far below 2^53, so bigint columns come as numbers rather than strings. */
function getTypeParser(...[id, format]: Parameters<typeof pg.types.getTypeParser>) {
  if ((id as number) === INT8 && format !== 'binary') return Number
  return pg.types.getTypeParser(id, format)
}
