import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Write } from '../../database/schema.ts'
import { choice, flag, optional, text, titleLine, whole } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { form } from '../../web/form.ts'
import { course, partOf } from '../courses/find-course.ts'
import {
  addLectures,
  changeLecture,
  lockLectures,
  moveLecture,
  type Placed,
  readList,
  removeLecture,
  renumber,
  replaceLectures,
} from './commands.ts'

/** As the constraint lectures_title_length has it. */
const title = () =>
  titleLine({ min: 1, max: 150, short: 'lectures.title.short', long: 'lectures.title.long' })

/** A lecture's number, as addresses carry it. */
const position = () => whole(999_999, 'lectures.position.wrong')

/** Typed or pasted lectures; `mode` 'replace': the course has these and no others. `table`: they are known to be one. */
const listed = {
  lectures: text({ min: 1, max: 200_000, short: 'lectures.file.none', long: 'lectures.many' }),
  mode: optional(choice(['add', 'replace'])),
  table: flag,
}

/** The same with `act` 'save': what was read was shown; 'edit': back to the text. */
export const lecturesForm = form({ ...listed, act: optional(choice(['read', 'save', 'edit'])) })

/** Each gives the course's slug, and in `change` what undoes it; null: nothing changed. */
const managing = { right: 'manage', events: ['course-lectures-changed'] } as const
/** A lecture by its position, a change by its number. */
const changing = { ...managing, find: partOf<number>(course) } as const

export const lectureAdding = operation({
  ...managing,
  name: 'add-lectures',
  find: course,
  input: listed,
  async run({ write, subject: { id: courseId, slug }, input: { lectures, mode, table }, note }) {
    const read = await readList({ text: lectures, isTable: table })
    const { change, result: kept } =
      mode === 'replace'
        ? await replaceLectures(write, courseId, read.lectures)
        : await addLectures(write, courseId, read)
    note('course-lectures-changed', { courseId })
    return { slug, change, kept }
  },
})

export const lectureChange = operation({
  ...changing,
  name: 'change-lecture',
  input: { title: title(), position: position() },
  async run({ write, subject: { id: courseId, slug, part }, input, note }) {
    const { result, change } = await changeLecture(write, courseId, part, input)
    if (!result) throw notFound()
    note('course-lectures-changed', { courseId })
    return { slug, change }
  },
})

/** By one, or to where the lecture `to` stands. @returns also where it stands then */
export const lectureMove = operation({
  ...changing,
  name: 'move-lecture',
  input: { direction: optional(choice(['up', 'down'])), to: optional(position()) },
  async run({ write, subject: { id: courseId, slug, part }, input: { direction, to }, note }) {
    const where = direction ?? to
    if (where === null) throw notFound()
    const { result: position, change } = await moveLecture(write, courseId, part, where)
    note('course-lectures-changed', { courseId })
    return { slug, change, position }
  },
})

export const lectureMerger = leaving('merge-lecture', 'merger', position())
export const lectureRemoval = leaving('remove-lecture', 'removal', optional(position()))

/** Takes a lecture from a course. @param into the number of the lecture that its questions go to; null: to none */
function leaving(name: string, field: string, into: z.ZodType<number | null>) {
  return operation({
    ...changing,
    name,
    input: { into },
    async run({ write, subject: { id: courseId, slug, part }, input: { into }, note }) {
      const { result, change } = await removeLecture(write, courseId, part, into)
      if (!result) throw refusal(field, 'lectures.into.unknown')
      note('course-lectures-changed', { courseId })
      return { slug, change }
    },
  })
}

export const lectureUndoing = operation({
  ...changing,
  name: 'undo-lectures',
  async run({ write, subject: { id: courseId, slug, part }, note }) {
    const outcome = await undoChange(write, courseId, part)
    if (outcome === 'undone') note('course-lectures-changed', { courseId })
    return { slug, outcome }
  },
})

/** @returns 'late': the lectures were changed again, or questions were asked about those that would go */
async function undoChange(write: Write, courseId: number, change: number) {
  const there = await lockLectures(write, courseId)
  const kept = await write
    .selectFrom('lecture_undos')
    .select(['before', 'after', 'moved_from', 'moved_to', 'moved'])
    .where('course_id', '=', courseId)
    .where('change', '=', change)
    .forUpdate()
    .executeTakeFirst()
  if (kept === undefined || !isDeepStrictEqual(there, kept.after)) return 'late'
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
  const places = stayed.map(({ id, position }) => ({ id, to: position }))
  await renumber(write, courseId, places)
  await sql`update lectures set title = former.title
    from unnest(${stayed.map(({ id }) => id)}::bigint[], ${stayed.map(({ title }) => title)}::text[]) as former (id, title)
    where lectures.id = former.id and lectures.title <> former.title`.execute(write)
  await sql`insert into lectures (id, course_id, position, title) overriding system value
    select id, ${courseId}, position, title from unnest(
      ${gone.map(({ id }) => id)}::bigint[], ${gone.map(({ position }) => position)}::integer[],
      ${gone.map(({ title }) => title)}::text[]) as former (id, position, title)`.execute(write)
}
