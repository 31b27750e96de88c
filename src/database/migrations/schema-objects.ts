import { sql } from 'kysely'
import type { Database, Write } from '../schema.ts'
import { applyAlone } from './apply.ts'
import { functionFiles, migrationFiles, RECORD_TABLES, type SqlFile, tableFiles } from './files.ts'

const FRESH = 'handup_fresh'

/**
 * How a database's schema differs from what db/schema and its migrations (by names) make: they are applied to
 * a schema of their own in a transaction that is rolled back, which takes a second and locks nothing that
 * others use.
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

/** Something that migrations make in a schema. */
interface SchemaObject {
  readonly kind: 'type' | 'table' | 'column' | 'function' | 'constraint' | 'index' | 'trigger'
  /** Unique in its kind: a function's with the types of its arguments, a column's, constraint's and trigger's with the table. */
  readonly name: string
  /** The table it belongs to; null: a function, a type. */
  readonly table: string | null
  /** Its name alone, quoted. */
  readonly own: string
  /** What it is, without the name of the schema: a statement for functions, indexes and triggers, a clause for constraints. */
  readonly definition: string
  /** False: an index that is not valid, a trigger that is not enabled. */
  readonly isInForce: boolean
}

/**
 * The objects of the session's current schema, without those of extensions and the tables that record migrations.
 * Definitions name no schema, as long as extensions are in the search path.
 */
export async function schemaObjects(db: Database | Write): Promise<SchemaObject[]> {
  const { rows } = await sql<SchemaObject>`
    with own_tables as (
      select oid, relname from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
        and relname <> all(${RECORD_TABLES}::text[])
    ), of_extensions as (
      select objid from pg_depend where deptype = 'e'
    ), objects as (
      select 'type' as kind, typname::text as name, null as "table", quote_ident(typname) as own,
        (select string_agg(enumlabel, ', ' order by enumsortorder) from pg_enum where enumtypid = pg_type.oid) as definition,
        true as "isInForce"
      from pg_type where typnamespace = current_schema()::regnamespace and typtype = 'e'
        and oid not in (select objid from of_extensions)
      union all
      select 'table', relname, relname, quote_ident(relname), '', true from own_tables
      union all
      select 'column', relname || '.' || attname, relname, quote_ident(attname),
        concat_ws(' ', format_type(atttypid, atttypmod), case when attnotnull then 'not null' end,
          nullif('identity ' || attidentity::text, 'identity '), nullif('generated ' || attgenerated::text, 'generated '),
          'default ' || pg_get_expr(adbin, adrelid)), true
      from own_tables join pg_attribute on attrelid = own_tables.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      union all
      select 'function', proname || '(' || pg_get_function_identity_arguments(oid) || ')', null, quote_ident(proname),
        pg_get_functiondef(oid), true
      from pg_proc where pronamespace = current_schema()::regnamespace and prokind in ('f', 'p')
        and oid not in (select objid from of_extensions)
      union all
      select 'constraint', relname || '.' || conname, relname, quote_ident(conname), pg_get_constraintdef(con.oid), true
      from own_tables join pg_constraint as con on conrelid = own_tables.oid and contype not in ('n', 't')
      union all
      select 'index', index.relname, own_tables.relname, quote_ident(index.relname), pg_get_indexdef(indexrelid), indisvalid
      from own_tables join pg_index on indrelid = own_tables.oid join pg_class as index on index.oid = indexrelid
      where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
      union all
      select 'trigger', relname || '.' || tgname, relname, quote_ident(tgname), pg_get_triggerdef(pg_trigger.oid, true),
        tgenabled = 'O'
      from own_tables join pg_trigger on tgrelid = own_tables.oid and not tgisinternal
    )
    select kind, name, "table", own,
      replace(coalesce(definition, ''), quote_ident(current_schema()) || '.', '') as definition, "isInForce"
    from objects order by kind, name`.execute(db)
  return rows
}

export interface SchemaDifference {
  readonly wanted: SchemaObject | null
  readonly found: SchemaObject | null
}

/** What is missing, other than wanted, or not in force; and what is there beside (`wanted` is null then). */
function schemaDifferences(
  wanted: readonly SchemaObject[],
  found: readonly SchemaObject[],
): SchemaDifference[] {
  const there = new Map(found.map((object) => [keyOf(object), object]))
  const expected = new Set(wanted.map(keyOf))
  return [
    ...wanted
      .map((object) => ({ wanted: object, found: there.get(keyOf(object)) ?? null }))
      .filter(
        (pair) =>
          pair.found?.definition !== pair.wanted.definition || pair.found.isInForce !== pair.wanted.isInForce,
      ),
    ...found
      .filter((object) => !expected.has(keyOf(object)))
      .map((object) => ({ wanted: null, found: object })),
  ]
}

/**
 * The statement that makes a difference good without touching data, with a semicolon; null: there is none, as
 * for a column. A leftover is dropped.
 */
export function repairOf({ wanted, found }: SchemaDifference): string | null {
  const object = wanted ?? found
  if (object === null || !/^(?:function|constraint|index|trigger)$/.test(object.kind)) return null
  const { kind, own, table, name } = object
  const drop = {
    function: `drop function if exists ${name}`,
    constraint: `alter table ${table} drop constraint if exists ${own}`,
    index: `drop index if exists ${own}`,
    trigger: `drop trigger if exists ${own} on ${table}`,
  }[kind as 'function' | 'constraint' | 'index' | 'trigger']
  if (wanted === null) return `${drop};`
  if (kind === 'function') return `${wanted.definition.trim()};`
  const create =
    kind === 'constraint'
      ? `alter table ${table} add constraint ${own} ${wanted.definition}`
      : wanted.definition
  return `${drop}; ${create};`
}

export function toldDifference({ wanted, found }: SchemaDifference): string {
  if (wanted === null) return `${found?.kind} ${found?.name} is not Handup's`
  if (found === null) return `${wanted.kind} ${wanted.name} is missing`
  return `${wanted.kind} ${wanted.name} ${found.definition === wanted.definition ? 'is not in force' : 'differs'}`
}

const keyOf = ({ kind, name }: SchemaObject) => `${kind} ${name}`
