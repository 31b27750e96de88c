import { sql } from 'kysely'
import type { Database } from '../schema.ts'
import { applyAlone } from './apply.ts'
import { type MigrationFile, migrationFiles } from './files.ts'
import {
  type SchemaDifference,
  type SchemaObject,
  schemaDifferences,
  schemaObjects,
} from './schema-objects.ts'

const FRESH = 'handup_fresh'

/**
 * How a database's schema differs from what its migrations make. Nothing is changed: they are applied to a schema of
 * their own in a transaction that is rolled back, which takes a second and locks nothing that others use.
 * @param names of the migrations
 */
export async function differencesFromFresh(
  db: Database,
  names: readonly string[],
): Promise<SchemaDifference[]> {
  const files = (await migrationFiles()).filter(({ name }) => names.includes(name))
  const fresh = await freshObjects(db, files)
  return schemaDifferences(fresh, await schemaObjects(db))
}

async function freshObjects(db: Database, files: readonly MigrationFile[]): Promise<SchemaObject[]> {
  const transaction = await db.startTransaction().execute()
  try {
    // Extensions are in the schema in use, which comes second.
    await sql`create schema ${sql.id(FRESH)}`.execute(transaction)
    await sql`select set_config('search_path', ${`${FRESH}, `} || current_schema(), true)`.execute(
      transaction,
    )
    for (const { text } of files) await applyAlone(transaction, text)
    return await schemaObjects(transaction)
  } finally {
    await transaction.rollback().execute()
  }
}
