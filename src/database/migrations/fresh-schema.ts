import { sql } from 'kysely'
import type { Database } from '../schema.ts'
import { applyAlone } from './apply.ts'
import { functionFiles, migrationFiles, type SqlFile, tableFiles } from './files.ts'
import {
  type SchemaDifference,
  type SchemaObject,
  schemaDifferences,
  schemaObjects,
} from './schema-objects.ts'

const FRESH = 'handup_fresh'

/**
 * How a database's schema differs from what db/schema and its migrations make. Nothing is changed: they are applied to a schema of
 * their own in a transaction that is rolled back, which takes a second and locks nothing that others use.
 * @param names of the migrations
 */
export async function differencesFromFresh(
  db: Database,
  names: readonly string[],
): Promise<SchemaDifference[]> {
  const migrations = (await migrationFiles()).filter(({ name }) => names.includes(name))
  const fresh = await freshObjects(db, [...(await tableFiles()), ...migrations, ...(await functionFiles())])
  return schemaDifferences(fresh, await schemaObjects(db))
}

async function freshObjects(db: Database, files: readonly SqlFile[]): Promise<SchemaObject[]> {
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
