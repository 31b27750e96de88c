import { sql } from 'kysely'
import { z } from 'zod'
import type { CountedTable } from '../../database/counted-tables.ts'
import type { Database, Write } from '../../database/schema.ts'
import { Refused, refusal } from '../../kernel/problem.ts'
import { listOf, reading } from '../../web/json/endpoint.ts'
import { count, resource, url } from '../../web/json/resource.ts'
import { coursePath, pathWith } from '../../web/paths.ts'
import { type LectureTitle, setLectures } from '../courses/commands.ts'
import {
  LAST_POSITION,
  LectureFileError,
  type LectureText,
  MAX_LECTURES,
  type ReadLectures,
  readLongLectures,
} from '../courses/lecture-file.ts'
import { courseAddress, readableCourse } from '../courses/resource.ts'

/** Reads a list that was typed or pasted. @throws Refused with every fault */
export async function readList(sent: LectureText): Promise<ReadLectures> {
  try {
    const read = await readLongLectures(sent)
    requireFew(read.lectures.length)
    return read
  } catch (error) {
    if (!(error instanceof LectureFileError)) throw error
    throw new Refused(error.faults.map((message) => ({ field: 'lectures', message })))
  }
}

/** @throws Refused where a course would have more than MAX_LECTURES */
export function requireFew(count: number): void {
  if (count > MAX_LECTURES) throw refusal('lectures', 'lectures.many', { max: MAX_LECTURES })
}

/**
 * Adds lectures: one whose position is taken gives it the new title; without positions they come after those
 * there are.
 * @throws Refused
 */
export function addLectures(write: Write, courseId: number, read: ReadLectures) {
  return changing(write, courseId, async (there) => {
    const added = placed(read, there)
    const kept = there.filter(({ position }) => added.every((one) => one.position !== position))
    return replaceAll(write, courseId, [...kept, ...added])
  })
}

/** Gives a course these lectures. @returns those that stay though they are not named, as questions are about them */
export function replaceLectures(write: Write, courseId: number, lectures: readonly LectureTitle[]) {
  return changing(write, courseId, () => replaceAll(write, courseId, lectures))
}

/** The positions of added lectures. @throws Refused where no number is left */
export function placed({ lectures, isNumbered }: ReadLectures, there: readonly LectureTitle[]) {
  const last = isNumbered ? 0 : (there.at(-1)?.position ?? 0)
  const added = lectures.map(({ position, title }) => ({ position: position + last, title }))
  if (added.some(({ position }) => position > LAST_POSITION))
    throw refusal('lectures', 'lectures.noRoom', { max: LAST_POSITION })
  return added
}

/** Renames a lecture and gives it a number; those that stand there move up. `result` false: there is none such */
export function changeLecture(
  write: Write,
  courseId: number,
  from: number,
  { position, title }: LectureTitle,
) {
  return changing(write, courseId, async (there) => {
    const lecture = there.find((one) => one.position === from)
    if (lecture === undefined) return false
    const others = there.filter((one) => one !== lecture)
    const moved = roomAt(position, others)
    if (moved.some((one) => one.to > LAST_POSITION)) throw refusal('position', 'lectures.position.wrong')
    if (position !== from) await renumber(write, courseId, [...moved, { id: lecture.id, to: position }])
    await write.updateTable('lectures').set({ title }).where('id', '=', lecture.id).execute()
    return true
  })
}

/**
 * Moves a lecture up or down by one, or to where another stands; those between make room. The course has the same numbers as
 * before. `result`: the number it has then; null: there is none such
 * @param to a direction, or the position of the other
 */
export function moveLecture(write: Write, courseId: number, position: number, to: 'up' | 'down' | number) {
  return changing(write, courseId, async (there) => {
    const at = there.findIndex((one) => one.position === position)
    const target =
      typeof to === 'number'
        ? there.findIndex((one) => one.position === to)
        : Math.min(Math.max(at + (to === 'up' ? -1 : 1), 0), there.length - 1)
    const lecture = there[at]
    const place = there[target]?.position
    if (lecture === undefined || place === undefined) return null
    const order = there.toSpliced(at, 1).toSpliced(target, 0, lecture)
    const places = order
      .map(({ id }, index) => ({ id, to: there[index]?.position ?? 0 }))
      .filter(({ id }, index) => there[index]?.id !== id)
    await renumber(write, courseId, places)
    return place
  })
}

/**
 * Its questions stay: with the lecture `into`, or with none. `result` false: there is none such, or `into` is
 * no other lecture
 */
export function removeLecture(write: Write, courseId: number, position: number, into: number | null) {
  return changing(write, courseId, async (there, note) => {
    const lecture = there.find((one) => one.position === position)
    const target = into === null ? null : there.find((one) => one.position === into)
    if (lecture === undefined || target === undefined || target === lecture) return false
    const { rows } = await sql<{ id: number }>`
      update questions set lecture_id = ${target?.id ?? null}
      where course_id = ${courseId} and lecture_id = ${lecture.id} returning id`.execute(write)
    note({ from: lecture.id, to: target?.id ?? null, questions: rows.map(({ id }) => id) })
    await write.deleteFrom('lectures').where('id', '=', lecture.id).execute()
    return true
  })
}

async function replaceAll(write: Write, courseId: number, lectures: readonly LectureTitle[]) {
  const stayed = await setLectures(write, courseId, lectures)
  requireFew(lectures.length + stayed.length)
  return stayed
}

/** Which lectures move up by one, so that a position is free: all from there to the first gap. */
function roomAt(position: number, others: readonly Placed[]) {
  const moved: { id: number; to: number }[] = []
  for (const other of others) {
    if (other.position === position + moved.length) moved.push({ id: other.id, to: other.position + 1 })
  }
  return moved
}

export interface Placed extends LectureTitle {
  readonly id: number
}

interface Moved {
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
 * @returns what the change gave, and its number: undoing it names that; null: nothing changed
 */
async function changing<Result>(
  write: Write,
  courseId: number,
  change: (there: readonly Placed[], note: (moved: Moved) => void) => Promise<Result>,
) {
  const before = await lockLectures(write, courseId)
  let moved: Moved | null = null
  const result = await change(before, (one) => {
    moved = one
  })
  const after = await write
    .selectFrom('lectures')
    .select(['id', 'position', 'title'])
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()
  if (JSON.stringify(before) === JSON.stringify(after)) return { result, change: null }
  return { result, change: await keepBefore(write, courseId, before, after, moved) }
}

export async function lockLectures(write: Write, courseId: number) {
  await sql`select pg_advisory_xact_lock(hashtext('lectures'), ${courseId}::integer)`.execute(write)
  const { rows } = await sql<Placed>`
    select id, position, title from lectures
    where course_id = ${courseId} order by id for update`.execute(write)
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

async function keepBefore(
  write: Write,
  courseId: number,
  before: readonly Placed[],
  after: readonly Placed[],
  moved: Moved | null,
) {
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

/** All lectures of a course, by position. Uses index lectures_position_key. */
export function listLectures(db: Database, courseId: number) {
  return db
    .selectFrom('lectures')
    .select(['id', 'position', 'title', 'questions_count', 'unresolved_count'])
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()
}

/** Positions of the lectures that anyone asked about, in public or not: replacing the lectures keeps these. */
export async function askedPositions(db: Database, courseId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('lectures')
    .select('position')
    .where('course_id', '=', courseId)
    .where(sql<boolean>`exists (select from questions where questions.lecture_id = lectures.id)`)
    .execute()
  return new Set(rows.map(({ position }) => position))
}

export const lectureCounts: CountedTable = {
  table: 'lectures',
  key: ['id'],
  joins: (only) => sql`
    left join (
      select lecture_id, count(*)::integer as number,
        (count(*) filter (where status = 'unresolved'))::integer as unresolved
      from questions where is_listed and ${only('lectures', 'lecture_id')} group by lecture_id
    ) as asked on asked.lecture_id = kept.id`,
  compared: (only) => only('lectures', 'kept.id'),
  counters: {
    questions_count: sql`coalesce(asked.number, 0)`,
    unresolved_count: sql`coalesce(asked.unresolved, 0)`,
  },
}

const lectureSchema = resource('Lecture', {
  position: z.int(),
  title: z.string(),
  questions_count: count,
  unresolved_count: count,
  url,
})

export const lectureEndpoint = reading(
  '/courses/:course/lectures',
  listOf(lectureSchema),
  { name: 'listLectures', tag: 'courses' },
  async (call) => {
    const course = await readableCourse(call)
    const lectures = await listLectures(call.request.server.db, course.id)
    const items = lectures.map((lecture) => {
      const html = pathWith(coursePath(course.slug), { lecture: lecture.position })
      const questions = pathWith(`${courseAddress(course)}/questions`, { lecture: lecture.position })
      return { ...lecture, links: { html, questions } }
    })
    return { items, next: null }
  },
)
