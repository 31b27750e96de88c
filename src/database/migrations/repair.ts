import { sql } from 'kysely'
import type { Database } from '../schema.ts'
import { applied, ensureRecords } from './applied.ts'
import { applyBesideOthers } from './apply.ts'
import { type MigrationFile, migrationFiles } from './files.ts'
import { differencesFromFresh } from './fresh-schema.ts'
import { exclusively } from './lock.ts'
import { MigrationError, refuseUnknown } from './refuse.ts'
import {
  type ObjectKind,
  REPLACEABLE,
  type SchemaDifference,
  type SchemaObject,
  toldDifference,
} from './schema-objects.ts'

export interface RepairOptions {
  /** Drops functions, constraints, indexes and triggers that no migration makes. */
  readonly drops: boolean
  readonly onRepaired: (line: string) => void
  readonly onFailed: (line: string) => void
}

/**
 * Replaces functions, constraints, indexes and triggers that differ from what the applied migrations make, while people go
 * on writing. When none is left that differs, the hashes of this version's migrations are recorded.
 * @returns what still differs
 * @throws MigrationError when the database has migrations that this version lacks, or none
 */
export function repairSchema(db: Database, options: RepairOptions): Promise<SchemaDifference[]> {
  return exclusively(db, async (connection) => {
    const [files, records] = [await migrationFiles(), await applied(connection)]
    refuseUnknown(files, records)
    if (records.length === 0) throw new MigrationError('Handup was never started on this database: npm start')
    const names = records.map(({ name }) => name)
    for (const difference of inOrder(await differencesFromFresh(connection, names)))
      if (difference.wanted !== null || options.drops) await repair(connection, difference, options)
    const left = await differencesFromFresh(connection, names)
    if (left.every(({ wanted }) => wanted === null)) await recordHashes(connection, files)
    return left
  })
}

/** Drops first: a trigger, then the function that it calls. */
function inOrder(differences: readonly SchemaDifference[]): SchemaDifference[] {
  const ofKind = (kind: ObjectKind) =>
    differences.filter(({ wanted, found }) => (wanted ?? found)?.kind === kind)
  const dropped = REPLACEABLE.toReversed()
    .flatMap(ofKind)
    .filter(({ wanted }) => wanted === null)
  return [...dropped, ...REPLACEABLE.flatMap(ofKind).filter(({ wanted }) => wanted !== null)]
}

async function repair(db: Database, difference: SchemaDifference, options: RepairOptions): Promise<void> {
  const told = toldDifference(difference)
  try {
    for (const text of statementsFor(difference)) await applyBesideOthers(db, text, async () => {})
    options.onRepaired(told)
  } catch (error) {
    options.onFailed(`${told}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Texts as in migrations; each is committed by itself. */
function statementsFor({ wanted, found }: SchemaDifference): string[] {
  if (wanted === null) return found === null ? [] : [dropOf(found)]
  if (wanted.kind === 'function') return [wanted.definition]
  const drop = found === null ? '' : dropOf(found)
  if (wanted.kind === 'trigger') return [`${drop}${wanted.definition}`]
  if (wanted.kind === 'index')
    return [
      drop,
      `-- In steps.\n${wanted.definition.replace(/INDEX (?=\S+ ON )/, 'INDEX CONCURRENTLY IF NOT EXISTS ')};\n`,
    ]
  const alter = `alter table ${wanted.table}`
  const add = `${drop}${alter} add constraint ${wanted.own} ${wanted.definition}`
  if (!/^(CHECK|FOREIGN KEY)/.test(wanted.definition)) return [add]
  return [`${add} not valid`, `${alter} validate constraint ${wanted.own}`]
}

function dropOf({ kind, own, table, name }: SchemaObject): string {
  if (kind === 'index') return `-- In steps.\ndrop index concurrently if exists ${own};\n`
  if (kind === 'function') return `drop function ${name}`
  if (kind === 'constraint') return `alter table ${table} drop constraint ${own};\n`
  return `drop trigger ${own} on ${table};\n`
}

async function recordHashes(db: Database, files: readonly MigrationFile[]): Promise<void> {
  await ensureRecords(db)
  for (const { name, hash } of files)
    await sql`update kysely_migration set hash = ${hash} where name = ${name} and hash is distinct from ${hash}`.execute(
      db,
    )
}
