import { sql } from 'kysely'
import { type Config, readConfig } from '../../config.ts'
import { migrate } from '../../database/migrate.ts'
import { openDatabase } from '../../database/open.ts'
import type { Database } from '../../database/schema.ts'
import type { Surroundings } from '../../kernel/perform.ts'
import { databaseError } from '../../operating/problems.ts'
import { withRunningAddress } from '../../operating/start/running-address.ts'
import { sayDatabase } from './database-line.ts'
import '../../tables.ts'

/** A command failed: `message` is one line with the reason and what to do. */
export class CommandError extends Error {}

/** Writes events of what a command did to standard error, a line of JSON each. */
export const logEvent: Surroundings['log'] = (event, details) =>
  console.error(JSON.stringify({ event, ...details }))

/** What a command works with. */
export interface Tools {
  readonly config: Config
  readonly db: Database
  /** The database's URL, for connections of its own. */
  readonly url: string
}

/** Runs a command on the migrated database, and always closes it. Commands run without a statement timeout. */
export async function withDatabase<Result>(work: (tools: Tools) => Promise<Result>): Promise<Result> {
  return withDatabaseAsItIs(async (tools) => {
    await migrate(tools.db).catch((error: unknown) => {
      throw tools.config.databaseUrl === null ? error : databaseError(error)
    })
    return work(tools)
  })
}

/** The same without migrations: the database may be empty, or of another version. */
export async function withDatabaseAsItIs<Result>(work: (tools: Tools) => Promise<Result>): Promise<Result> {
  const config = await withRunningAddress(readConfig(process.env), process.env)
  sayDatabase(process.env)
  const database = await openDatabase(config, {
    role: 'command',
    connections: 4,
    connectionTimeout: 10_000,
    statementTimeout: 0,
  })
  try {
    await sql`select`.execute(database.db).catch((error: unknown) => {
      throw config.databaseUrl === null ? error : databaseError(error)
    })
    return await work({ config, db: database.db, url: database.url })
  } finally {
    await database.close()
  }
}
