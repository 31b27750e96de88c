import { sql } from 'kysely'
import { type Config, readConfig } from '../config.ts'
import { migrate } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { databaseError } from '../start/problems.ts'

/** A command that cannot do what it was asked: `message` is one line that says why and what would help. */
export class CommandError extends Error {}

/** What a command works with. */
export interface Tools {
  readonly config: Config
  readonly db: Database
  /** The database's address, for what needs a connection of its own. */
  readonly url: string
}

/**
 * Runs a command's work on the migrated database and closes it whatever happens. Commands may take as long as they need:
 * no statement timeout.
 */
export async function withDatabase<Result>(work: (tools: Tools) => Promise<Result>): Promise<Result> {
  return withDatabaseAsItIs(async (tools) => {
    await migrate(tools.db)
    return work(tools)
  })
}

/** The same on a database that is left as it is: perhaps empty, or of an older or newer version. */
export async function withDatabaseAsItIs<Result>(work: (tools: Tools) => Promise<Result>): Promise<Result> {
  const config = readConfig(process.env)
  const database = await openDatabase(config, {
    role: 'command',
    connections: 4,
    patience: 10_000,
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
