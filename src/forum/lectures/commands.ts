import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { type LectureTitle, setLectures } from '../courses/commands.ts'
import { LAST_POSITION } from '../courses/lecture-file.ts'

/** As many as a course may have. */
export const MAX_LECTURES = 1000
/** Where lectures stand while others take their positions: above all that a form gives. */
const ASIDE = 10_000_000

/** There would be more than MAX_LECTURES. */
export class TooManyLectures extends Error {}
/** There is no number left for a lecture after the others. */
export class NoRoom extends Error {}

/**
 * Adds lectures: whose position is taken gets the new title; without positions they come after those there are.
 * @throws NoRoom, TooManyLectures
 */
export async function addLectures(
  db: Database,
  courseId: number,
  lectures: readonly LectureTitle[],
  isNumbered: boolean,
): Promise<void> {
  await changing(db, courseId, async (write, there) => {
    const last = isNumbered ? 0 : (there.at(-1)?.position ?? 0)
    const added = lectures.map(({ position, title }) => ({ position: position + last, title }))
    if (added.some(({ position }) => position > LAST_POSITION)) throw new NoRoom()
    const kept = there.filter(({ position }) => added.every((one) => one.position !== position))
    await replaceAll(write, courseId, [...kept, ...added])
  })
}

/** Gives a course these lectures. @returns those that stay though they are not named, as questions are about them */
export async function replaceLectures(
  db: Database,
  courseId: number,
  lectures: readonly LectureTitle[],
): Promise<LectureTitle[]> {
  return changing(db, courseId, (write) => replaceAll(write, courseId, lectures))
}

/** Renames a lecture and gives it a number; those that stand there move up. @returns false: there is none such */
export async function changeLecture(
  db: Database,
  courseId: number,
  from: number,
  { position, title }: LectureTitle,
): Promise<boolean> {
  return changing(db, courseId, async (write, there) => {
    const lecture = there.find((one) => one.position === from)
    if (lecture === undefined) return false
    const others = there.filter((one) => one !== lecture)
    const moved = roomAt(position, others)
    if (moved.some((one) => one.to > LAST_POSITION)) throw new NoRoom()
    if (position !== from) await renumber(write, courseId, [...moved, { id: lecture.id, to: position }])
    await write.updateTable('lectures').set({ title }).where('id', '=', lecture.id).execute()
    return true
  })
}

/** Swaps a lecture with the one before or after it. @returns false: there is none such */
export async function moveLecture(
  db: Database,
  courseId: number,
  position: number,
  direction: 'up' | 'down',
): Promise<boolean> {
  return changing(db, courseId, async (write, there) => {
    const at = there.findIndex((one) => one.position === position)
    const lecture = there[at]
    if (lecture === undefined) return false
    const other = there[at + (direction === 'up' ? -1 : 1)]
    if (other === undefined) return true
    await renumber(write, courseId, [
      { id: lecture.id, to: other.position },
      { id: other.id, to: lecture.position },
    ])
    return true
  })
}

/**
 * Takes a lecture from a course. Its questions stay: with the lecture `into`, or with none.
 * @returns false: there is none such, or `into` is no other lecture
 */
export async function removeLecture(
  db: Database,
  courseId: number,
  position: number,
  into: number | null,
): Promise<boolean> {
  return changing(db, courseId, async (write, there) => {
    const lecture = there.find((one) => one.position === position)
    const target = into === null ? null : there.find((one) => one.position === into)
    if (lecture === undefined || target === undefined || target === lecture) return false
    await write
      .updateTable('questions')
      .set({ lecture_id: target?.id ?? null })
      .where('course_id', '=', courseId)
      .where('lecture_id', '=', lecture.id)
      .execute()
    await write.deleteFrom('lectures').where('id', '=', lecture.id).execute()
    return true
  })
}

interface Placed extends LectureTitle {
  readonly id: number
}

/**
 * Runs a change of the lectures of a course with those there are, locked by id as the counters lock them. Two changes at once
 * run one after the other; questions being asked about a lecture are waited for.
 */
async function changing<Result>(
  db: Database,
  courseId: number,
  change: (write: Write, there: readonly Placed[]) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (write) => {
    await sql`select pg_advisory_xact_lock(hashtext('lectures'), ${courseId}::integer)`.execute(write)
    const { rows } = await sql<Placed>`
      select id, position, title from lectures where course_id = ${courseId} order by id for update`.execute(
      write,
    )
    return change(
      write,
      rows.toSorted((one, other) => one.position - other.position),
    )
  })
}

async function replaceAll(write: Write, courseId: number, lectures: readonly LectureTitle[]) {
  const stayed = await setLectures(write, courseId, lectures)
  if (lectures.length + stayed.length > MAX_LECTURES) throw new TooManyLectures()
  return stayed
}

/** Which lectures move up by one, so that a position is free: all from there to the first gap. */
function roomAt(position: number, others: readonly Placed[]): { id: number; to: number }[] {
  const moved: { id: number; to: number }[] = []
  for (const other of others) {
    if (other.position === position + moved.length) moved.push({ id: other.id, to: other.position + 1 })
  }
  return moved
}

/** In two steps: two lectures never have one position, not even for a moment. */
async function renumber(
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
