import type { PoolClient } from 'pg'
import type { Database } from '../database/schema.ts'
import { atEnd, type Ending } from './at-end.ts'
import { addressOf, plannedOnce, testDatabase } from './database.ts'

/** A database for work that is rolled back. */
export interface UndoneDatabase {
  readonly db: Database
  /** Runs the work, then rolls its writes back. One at a time. */
  undone<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Savepoints for the work's own transactions. */
const NESTED: Readonly<Record<string, string>> = {
  begin: 'savepoint nested',
  commit: 'release savepoint nested',
  rollback: 'rollback to savepoint nested',
}

/** A migrated, empty database for one test, with a single connection. */
export async function undoneDatabase(test: Ending): Promise<UndoneDatabase> {
  const url = addressOf(await testDatabase(test))
  const clients: PoolClient[] = []
  let isUndone = false
  const nest = (client: PoolClient) => {
    clients.push(client)
    const query: (...given: unknown[]) => unknown = client.query.bind(client)
    client.query = ((...[text, ...given]: unknown[]) =>
      query((isUndone && NESTED[String(text)]) || text, ...given)) as typeof client.query
  }
  const db = plannedOnce(url, { connections: 1, onConnection: nest })
  atEnd(test, () => db.destroy())
  const undone = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const client = clients.at(-1)
    if (client === undefined) throw new Error('nothing was ever asked of the database')
    await client.query('begin')
    isUndone = true
    try {
      return await work()
    } finally {
      isUndone = false
      await client.query('rollback')
    }
  }
  return { db, undone }
}
