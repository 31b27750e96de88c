import { sql } from 'kysely'
import { type Difference, MAX_REPORTED } from './difference.ts'
import type { Database, Write } from './schema.ts'
import type { OnlyTouched } from './touched.ts'

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
 * Compares whose turn each question is (question_desk) with what its posts say (desk_facts).
 *
 * Fixing is safe beside a running forum: a row is locked before its facts are read again.
 * @returns the differences found, or with `fix` those fixed; MAX_REPORTED at most
 */
export async function recountDesks(
  db: Database | Write,
  fix: boolean,
  only: OnlyTouched,
): Promise<Difference[]> {
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
async function refreshWrong(db: Database | Write, only: OnlyTouched): Promise<void> {
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
