import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import type { LectureTitle } from '../courses/commands.ts'

/** A lecture where it stands. */
export interface Placed extends LectureTitle {
  readonly id: number
}

/** What a change gave, and its number: undoing it names that. null: nothing changed. */
export interface Changed<Result> {
  readonly result: Result
  readonly change: number | null
}

/** Questions of a lecture that is deleted: where they went. */
export interface Moved {
  readonly from: number
  /** null: to no lecture. */
  readonly to: number | null
  readonly questions: readonly number[]
}

/** Where lectures stand while others take their positions: above all that a form gives. */
const ASIDE = 10_000_000

/**
 * Runs a change of the lectures of a course with those there are, locked by id as the counters lock them, and keeps what they
 * were, so that it can be undone. Two changes at once run one after the other; questions being asked about a lecture are waited
 * for.
 * @param change may say which questions it moved
 */
export async function changing<Result>(
  write: Write,
  courseId: number,
  change: (there: readonly Placed[], note: (moved: Moved) => void) => Promise<Result>,
): Promise<Changed<Result>> {
  const before = await lockLectures(write, courseId)
  let moved: Moved | null = null
  const result = await change(before, (one) => {
    moved = one
  })
  const after = await placedIn(write, courseId)
  if (JSON.stringify(before) === JSON.stringify(after)) return { result, change: null }
  return { result, change: await keepBefore(write, courseId, before, after, moved) }
}

/** The lectures of a course by position, until the transaction ends. */
export async function lockLectures(write: Write, courseId: number): Promise<Placed[]> {
  await sql`select pg_advisory_xact_lock(hashtext('lectures'), ${courseId}::integer)`.execute(write)
  const { rows } = await sql<Placed>`
    select id, position, title from lectures where course_id = ${courseId} order by id for update`.execute(
    write,
  )
  return rows.toSorted((one, other) => one.position - other.position)
}

/** In two steps: two lectures never have one position, not even for a moment. */
export async function renumber(
  write: Write,
  courseId: number,
  places: readonly { readonly id: number; readonly to: number }[],
): Promise<void> {
  const ids = places.map(({ id }) => id)
  const positions = places.map(({ to }) => to)
  await sql`update lectures set position = position + ${ASIDE} where course_id = ${courseId}
    and id = any(${ids}::bigint[])`.execute(write)
  await sql`update lectures set position = place.position
    from unnest(${ids}::bigint[], ${positions}::integer[]) as place (id, position)
    where lectures.id = place.id`.execute(write)
}

function placedIn(write: Write, courseId: number): Promise<Placed[]> {
  return write
    .selectFrom('lectures')
    .select(['id', 'position', 'title'])
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()
}

async function keepBefore(
  write: Write,
  courseId: number,
  before: readonly Placed[],
  after: readonly Placed[],
  moved: Moved | null,
): Promise<number> {
  const kept = {
    before: JSON.stringify(before),
    after: JSON.stringify(after),
    moved_from: moved?.from ?? null,
    moved_to: moved?.to ?? null,
    moved: sql<number[]>`${moved?.questions ?? []}::bigint[]`,
  }
  const { change } = await write
    .insertInto('lecture_undos')
    .values({ course_id: courseId, ...kept })
    .onConflict((conflict) =>
      conflict.column('course_id').doUpdateSet({ ...kept, change: sql`lecture_undos.change + 1` }),
    )
    .returning('change')
    .executeTakeFirstOrThrow()
  return change
}
