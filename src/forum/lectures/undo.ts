import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { lockLectures, type Placed, renumber } from './commands.ts'

/** 'late': the lectures were changed again, or questions were asked about those that would go. */
export type Undone = 'undone' | 'late'

/** Makes the lectures of a course what they were before a change, with the questions where they were. */
export async function undoChange(write: Write, courseId: number, change: number): Promise<Undone> {
  const there = await lockLectures(write, courseId)
  const kept = await write
    .selectFrom('lecture_undos')
    .select(['before', 'after', 'moved_from', 'moved_to', 'moved'])
    .where('course_id', '=', courseId)
    .where('change', '=', change)
    .forUpdate()
    .executeTakeFirst()
  if (kept === undefined || !isSame(there, kept.after)) return 'late'
  if (!(await deleteAdded(write, courseId, there, kept.before))) return 'late'
  await putBack(write, courseId, there, kept.before)
  if (kept.moved_from !== null) {
    await sql`update questions set lecture_id = ${kept.moved_from} where course_id = ${courseId}
      and id = any(${kept.moved}::bigint[])
      and lecture_id is not distinct from ${kept.moved_to}::bigint`.execute(write)
  }
  await write.deleteFrom('lecture_undos').where('course_id', '=', courseId).execute()
  return 'undone'
}

function isSame(some: readonly Placed[], others: readonly Placed[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, position, title }, index) => {
      const other = others[index]
      return other?.id === id && other.position === position && other.title === title
    })
  )
}

/** @returns false: somebody asked about one of them meanwhile */
async function deleteAdded(
  write: Write,
  courseId: number,
  there: readonly Placed[],
  before: readonly Placed[],
): Promise<boolean> {
  const known = new Set(before.map(({ id }) => id))
  const added = there.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  const deleted =
    await sql`delete from lectures where course_id = ${courseId} and id = any(${added}::bigint[])
    and not exists (select from questions where questions.lecture_id = lectures.id)`.execute(write)
  return Number(deleted.numAffectedRows ?? 0) === added.length
}

async function putBack(write: Write, courseId: number, there: readonly Placed[], before: readonly Placed[]) {
  const ids = new Set(there.map(({ id }) => id))
  const [stayed, gone] = [before.filter(({ id }) => ids.has(id)), before.filter(({ id }) => !ids.has(id))]
  await renumber(
    write,
    courseId,
    stayed.map(({ id, position }) => ({ id, to: position })),
  )
  await sql`update lectures set title = former.title
    from unnest(${stayed.map(({ id }) => id)}::bigint[], ${stayed.map(({ title }) => title)}::text[]) as former (id, title)
    where lectures.id = former.id and lectures.title <> former.title`.execute(write)
  await sql`insert into lectures (id, course_id, position, title) overriding system value
    select id, ${courseId}, position, title from unnest(
      ${gone.map(({ id }) => id)}::bigint[], ${gone.map(({ position }) => position)}::integer[],
      ${gone.map(({ title }) => title)}::text[]) as former (id, position, title)`.execute(write)
}
