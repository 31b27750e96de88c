import { type RawBuilder, sql } from 'kysely'
import {
  type ChangedRows,
  type CountedTable,
  countedTables,
  type FilledTable,
  type OnlyChanged,
} from './counted-tables.ts'
import type { Database, Write } from './schema.ts'

/** A counter that differs from what it counts, or a moment that is kept and differs from what it follows from. */
export interface Difference {
  /** Table and column, e.g. `questions.answers_count`. */
  readonly counter: string
  /** Id of the row; for course_tags of the tag, for course_authors of the person. */
  readonly id: number
  /** The course of a tag's or a person's counts; null for other tables. */
  readonly courseId: number | null
  /** Moments in milliseconds since 1970; 0: none. */
  readonly stored: number
  readonly counted: number
}

/** Maximum differences reported per table: after a bulk load every row may differ. All of them are fixed. */
export const MAX_REPORTED = 1000

/**
 * Compares every counter with what it counts, each table in one statement, and whose turn each question is with its posts.
 *
 * Fixing is safe beside a running forum: a counter is set only while it still has the compared value. A write to the
 * counted rows changes the counter in the same transaction by the same amount, so an unchanged counter means an
 * unchanged difference; a changed one is left for the next run.
 * @param options touched: what alone is compared, where everything else is known to be right; null: everything
 * @returns the differences found, or with `fix` those fixed; at most MAX_REPORTED per table
 */
export async function recount(
  db: Database | Write,
  options: { readonly fix?: boolean; readonly touched?: ChangedRows | null } = {},
): Promise<Difference[]> {
  const fix = options.fix ?? false
  const { touched } = options
  const only: OnlyChanged = (table, column) =>
    touched == null ? sql`true` : sql`${sql.ref(column)} in (${touched[table]})`
  const differences: Difference[] = []
  const compare = async (counted: CountedTable | FilledTable) => {
    if ('counted' in counted) differences.push(...(await missingRows(db, counted, fix, only)))
    const told = fix
      ? await withoutCounting(db, (write) => recountTable(write, counted, fix, only))
      : await recountTable(db, counted, fix, only)
    differences.push(...told)
  }
  for (const counted of countedTables()) if (!SHARED.includes(counted.table)) await compare(counted)
  differences.push(...(await recountDesks(db, fix, only)))
  for (const table of SHARED)
    for (const counted of countedTables()) if (counted.table === table) await compare(counted)
  return differences
}

/** Whose rows every post needs: a transaction that counts much has them last, and not for long. In the order in which posts take them. */
const SHARED: readonly string[] = ['course_tags', 'lectures', 'courses']

/**
 * Does `work` while no trigger counts (db/schema/functions/counters.sql): a counter set right is no change of
 * what it counts.
 */
async function withoutCounting<Result>(
  db: Database | Write,
  work: (write: Write) => Promise<Result>,
): Promise<Result> {
  if (!db.isTransaction) return db.transaction().execute((write) => withoutCounting(write, work))
  await sql`select set_config('handup.recount', 'on', true)`.execute(db)
  const result = await work(db as Write)
  await sql`select set_config('handup.recount', '', true)`.execute(db)
  return result
}

async function recountTable(
  db: Database | Write,
  counted: CountedTable,
  fix: boolean,
  only: OnlyChanged,
): Promise<Difference[]> {
  const [source, fixed] = fix ? ['fixed', sql`, fixed as (${fixing(counted)})`] : ['difference', sql``]
  const { rows } = await sql<Difference>`
    with difference as materialized (${differing(counted, only)}) ${fixed}
    select told.counter, ${keyOf(counted, source)}, told.stored, told.counted
    from ${sql.ref(source)}, lateral (values ${told(counted, source)}) as told (counter, stored, counted)
    where told.stored <> told.counted order by told.counter, id, "courseId" limit ${MAX_REPORTED}`.execute(db)
  return rows
}

/** Rows with any wrong counter: their key, and each counter as stored and as counted. */
function differing({ table, key, joins, compared, counters }: CountedTable, only: OnlyChanged) {
  const columns = Object.keys(counters)
  const pairs = columns.map(
    (column) =>
      sql`${sql.ref(`kept.${column}`)} as ${stored(column)}, ${counters[column]} as ${counted(column)}`,
  )
  const wrong = columns.map((column) => sql`${sql.ref(`kept.${column}`)} <> ${counters[column]}`)
  return sql`
    select ${sql.join(key.map((column) => sql.ref(`kept.${column}`)))}, ${sql.join(pairs)}
    from ${sql.table(table)} as kept ${joins(only)} where (${sql.join(wrong, sql` or `)}) and ${compared(only)}`
}

/** All counters of a row at once: a course's counters must be consistent at all times. */
function fixing({ table, key, counters }: CountedTable) {
  const columns = Object.keys(counters)
  const set = columns.map((column) => sql`${sql.ref(column)} = difference.${counted(column)}`)
  const same = [
    ...key.map((column) => sql`kept.${sql.ref(column)} = difference.${sql.ref(column)}`),
    ...columns.map((column) => sql`kept.${sql.ref(column)} = difference.${stored(column)}`),
  ]
  return sql`
    update ${sql.table(table)} as kept set ${sql.join(set)} from difference
    where ${sql.join(same, sql` and `)} returning difference.*`
}

function keyOf({ key }: CountedTable, source: string) {
  const courseId: RawBuilder<unknown> = key.length === 1 ? sql`null::bigint` : sql.ref(`${source}.course_id`)
  return sql`${sql.ref(`${source}.${key.at(-1)}`)} as id, ${courseId} as "courseId"`
}

function told({ table, counters }: CountedTable, source: string) {
  const rows = Object.keys(counters).map(
    (column) =>
      sql`(${`${table}.${column}`}::text, ${sql.ref(source)}.${stored(column)}, ${sql.ref(source)}.${counted(column)})`,
  )
  return sql.join(rows)
}

const stored = (column: string) => sql.ref(`stored_${column}`)
const counted = (column: string) => sql.ref(`counted_${column}`)

/** What is counted without a row in the table, which the comparison above cannot find. */
async function missingRows(
  db: Database | Write,
  filled: FilledTable,
  fix: boolean,
  only: OnlyChanged,
): Promise<Difference[]> {
  const { table, key, counters, counted } = filled
  const [course, other] = key
  const columns = sql.join([...key, ...Object.keys(counters)].map((column) => sql.ref(column)))
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  const missing = sql`
    select ${columns} from (${counted(only)}) as used
    where not exists (select from ${sql.table(table)} as kept
      where kept.${sql.ref(course)} = used.${sql.ref(course)} and kept.${sql.ref(other)} = used.${sql.ref(other)})`
  // Sorting finds all of them before the first insert: the query must not read its own rows.
  const source = fix
    ? sql`insert into ${sql.table(table)} (${columns}) ${missing} order by ${keyColumns}
        on conflict do nothing returning ${columns}`
    : missing
  const counts = Object.keys(counters).map(
    (column) => sql`(${`${table}.${column}`}::text, missing.${sql.ref(column)})`,
  )
  const { rows } = await sql<Difference>`
    with missing as (${source})
    select told.counter, ${keyOf(filled, 'missing')}, 0 as stored, told.counted
    from missing, lateral (values ${sql.join(counts)}) as told (counter, counted)
    where told.counted > 0 order by told.counter, id, "courseId" limit ${MAX_REPORTED}`.execute(db)
  return rows
}

const COLUMNS = [
  'waiting_since',
  'classmates_since',
  'first_staff_at',
  'asked_at',
  'asker_since',
  'replied_since',
] as const
/** Rows brought up to date by one statement, which has to be done long before the statement timeout. */
const STEP = 10_000

/**
 * Compares whose turn each question is (question_desk) with what its posts say (desk_facts). Fixing is safe
 * beside a running forum: a row is locked before its facts are read again.
 */
async function recountDesks(db: Database | Write, fix: boolean, only: OnlyChanged): Promise<Difference[]> {
  const pairs = COLUMNS.map(
    (column) =>
      sql`(${`question_desk.${column}`}::text, ${sql.ref(`kept.${column}`)}, ${sql.ref(`fact.${column}`)})`,
  )
  const { rows } = await sql<Difference>`
    select told.counter, fact.question_id as id, null::bigint as "courseId",
      ${epoch('stored')} as stored, ${epoch('counted')} as counted
    from desk_facts as fact left join question_desk as kept on kept.question_id = fact.question_id,
    lateral (values ${sql.join(pairs)}) as told (counter, stored, counted)
    where told.stored is distinct from told.counted and ${only('questions', 'fact.question_id')}
    order by told.counter, id limit ${MAX_REPORTED}`.execute(db)
  if (fix) await refreshWrong(db, only)
  return rows
}

/** Of a bulk load every row may be wrong, and many may not be there yet. */
async function refreshWrong(db: Database | Write, only: OnlyChanged): Promise<void> {
  const { rows } = await sql<{ ids: number[] }>`
    select array_agg(fact.question_id order by fact.question_id) as ids
    from desk_facts as fact left join question_desk as kept on kept.question_id = fact.question_id
    where ${only('questions', 'fact.question_id')} and (kept.question_id is null
      or (fact.course_id, fact.lecture_id, ${columnsOf('fact')})
        is distinct from (kept.course_id, kept.lecture_id, ${columnsOf('kept')}))`.execute(db)
  const ids = rows[0]?.ids ?? []
  for (let first = 0; first < ids.length; first += STEP)
    await sql`select refresh_desks(${ids.slice(first, first + STEP)}::bigint[])`.execute(db)
}

const columnsOf = (alias: string) => sql.join(COLUMNS.map((column) => sql.ref(`${alias}.${column}`)))

const epoch = (column: string) =>
  sql`coalesce(extract(epoch from ${sql.ref(`told.${column}`)}) * 1000, 0)::bigint`
