import { sql } from 'kysely'
import type { PoolClient } from 'pg'
import { connect } from './connection.ts'
import type { Write } from './schema.ts'

/** A transaction for queries, and its connection for COPY. */
export interface SingleConnection {
  readonly write: Write
  readonly client: PoolClient
}

/**
 * Runs `work` in one transaction without timeouts; a failure rolls it back.
 * @param kind 'snapshot': it is read-only, and sees all tables as of its first query
 */
export async function inOneTransaction<Result>(
  url: string,
  work: (connection: SingleConnection) => Promise<Result>,
  kind: 'change' | 'snapshot' = 'change',
): Promise<Result> {
  const clients: PoolClient[] = []
  const db = connect(url, {
    connections: 1,
    connectionTimeout: 10_000,
    statementTimeout: 0,
    onConnection: (client) => clients.push(client),
  })
  const failures: unknown[] = []
  try {
    const transaction = db.transaction()
    const begun =
      kind === 'change'
        ? transaction
        : transaction.setIsolationLevel('repeatable read').setAccessMode('read only')
    return await begun.execute(async (write) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(write)
      const client = clients.at(-1)
      if (client === undefined) throw new Error('a transaction without a connection')
      return await work({ write, client }).catch((error: unknown) => {
        failures.push(error)
        throw error
      })
    })
  } catch (error) {
    // On a lost connection the rollback fails too; that error must not hide the original one.
    throw failures[0] ?? error
  } finally {
    await db.destroy()
  }
}
