import { sql } from 'kysely'
import type { z } from 'zod'
import type { Write } from '../../database/schema.ts'
import { OPERATOR, personOf } from '../../kernel/actor.ts'
import { yes } from '../../kernel/fields.ts'
import { type Doing, forum, operation } from '../../kernel/operation.ts'
import { EditedMeanwhile, notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import {
  addCategory,
  addMember,
  createCourse,
  DEFAULT_CATEGORY,
  type NewCourse,
  setLectures,
} from '../courses/commands.ts'
import { type CourseSubject, course, lockedCourse, partOf } from '../courses/find-course.ts'
import { giveRole } from '../courses/roles.ts'
import { readList } from '../lectures/commands.ts'
import { version } from '../posts/form.ts'
import {
  category,
  findSettings,
  isSame,
  newCourse,
  type SettingsValues,
  type settings,
  someSettings,
} from './settings.ts'

const managing = { right: 'manage' } as const

/** Makes a course. The operator can choose its slug, and leave it without an instructor. @throws SlugTaken, for the operator alone */
export const courseMaking = operation({
  name: 'make-course',
  right: 'make-course',
  find: forum,
  once: true,
  input: newCourse,
  events: ['course-made'],
  async run({ write, actor, input: { lectures: list, instructor, slug: chosen, ...values }, note }) {
    const isOperator = actor === OPERATOR
    const given = { ...values, ...(isOperator && chosen !== null && { slug: chosen }) }
    const first = instructor ?? (isOperator ? null : personOf(actor).id)
    const lectures = list === '' ? [] : (await readList({ text: list, isTable: false })).lectures
    const { id, slug } = await makeCourse(write, given, first)
    await setLectures(write, id, lectures)
    note('course-made', { courseId: id, likeId: null })
    return { slug }
  },
})

export const courseArchiving = operation({
  ...managing,
  name: 'archive-course',
  find: lockedCourse,
  input: { value: yes },
  events: ['course-archived'],
  async run({ write, subject: { id: courseId, slug }, input: { value: isArchived }, note }) {
    await archiveCourse(write, courseId, isArchived)
    note('course-archived', { courseId, isArchived })
    return { slug, isArchived }
  },
})

/** Changes some settings of a course; what is left out stays. What changes nothing makes no version. @throws EditedMeanwhile */
export const settingsChange = operation({
  ...managing,
  name: 'change-course-settings',
  find: lockedCourse,
  input: { ...someSettings.shape, version },
  events: ['course-settings-changed'],
  async run({ write, actor, subject, input: { version: begunWith, hold, ...others }, note }) {
    const { id: courseId, slug } = subject
    const values = { ...others, ...(hold != null && { hold }) }
    if (hold != null && actor !== OPERATOR) requireRight(actor, 'choose-holding', subject)
    const before = await findSettings(write, courseId)
    if (before.version === begunWith && isSame(before, values)) return { courseId, slug, isChanged: false }
    const outcome = await changeSettings(write, courseId, values, begunWith ?? 0)
    if (outcome === 'conflict' && !isSame(await findSettings(write, courseId), values))
      throw new EditedMeanwhile()
    note('course-settings-changed', { courseId })
    return { courseId, slug, isChanged: true }
  },
})

export const categoryMaking = operation({
  ...managing,
  name: 'make-category',
  find: course,
  input: category,
  events: ['course-categories-changed'],
  async run(doing) {
    await addCategory(doing.write, doing.subject.id, doing.input.name)
    return changed(doing)
  },
})

export const categoryChange = operation({
  ...managing,
  name: 'rename-category',
  find: partOf<number>(course),
  input: category,
  events: ['course-categories-changed'],
  async run(doing) {
    const { id, part } = doing.subject
    if (!(await renameCategory(doing.write, id, part, doing.input.name))) throw notFound()
    return changed(doing)
  },
})

export const categoryRemoval = operation({
  ...managing,
  name: 'remove-category',
  find: partOf<number>(course),
  events: ['course-categories-changed'],
  async run(doing) {
    if (!(await removeCategory(doing.write, doing.subject.id, doing.subject.part))) throw notFound()
    return changed(doing)
  },
})

function changed({
  subject: { id: courseId, slug },
  note,
}: Doing<unknown, CourseSubject, 'course-categories-changed'>) {
  note('course-categories-changed', { courseId })
  return { slug }
}

/** @returns false: there is none such */
async function renameCategory(write: Write, courseId: number, id: number, name: string): Promise<boolean> {
  const renamed = await write
    .updateTable('categories')
    .set({ name })
    .where('course_id', '=', courseId)
    .where('id', '=', id)
    .where('slug', '<>', DEFAULT_CATEGORY.slug)
    .executeTakeFirst()
  return renamed.numUpdatedRows === 1n
}

/** Takes a category from a course; its questions go to the first one, which stays. @returns false: there is none such */
async function removeCategory(write: Write, courseId: number, id: number): Promise<boolean> {
  // Questions asked in it at the same time wait, or are waited for.
  const { rows } = await sql<{ slug: string }>`
    select slug from categories where course_id = ${courseId} and id = ${id} for update`.execute(write)
  const [category] = rows
  if (category === undefined || category.slug === DEFAULT_CATEGORY.slug) return false
  await sql`
    update questions set category_id = (
      select id from categories where course_id = ${courseId} and slug = ${DEFAULT_CATEGORY.slug})
    where course_id = ${courseId} and category_id = ${id}`.execute(write)
  await write.deleteFrom('categories').where('id', '=', id).execute()
  return true
}

/** Changes some settings of a course, unless its settings were changed since `version`. */
export async function changeSettings(
  write: Write,
  courseId: number,
  values: SettingsValues,
  version: number,
): Promise<'done' | 'conflict'> {
  const changed = await write
    .updateTable('courses')
    .set({ ...columnsOf(values), version: sql`version + 1` })
    .where('id', '=', courseId)
    .where('version', '=', version)
    .executeTakeFirst()
  return changed.numUpdatedRows === 1n ? 'done' : 'conflict'
}

export async function archiveCourse(write: Write, courseId: number, isArchived: boolean): Promise<void> {
  await write
    .updateTable('courses')
    .set({ archived_at: isArchived ? sql`coalesce(archived_at, now())` : null })
    .where('id', '=', courseId)
    .execute()
}

/**
 * Makes a course.
 * @param instructor the address of who instructs it, once they have confirmed it; or a person's id; null: there is none yet
 * @throws SlugTaken when a slug was given and another course has it
 */
async function makeCourse(
  write: Write,
  values: z.output<typeof settings> & Pick<NewCourse, 'slug'>,
  instructor: string | number | null,
): Promise<{ id: number; slug: string }> {
  const { slug, title, field, description, language, time_zone: timeZone, visibility, hold, ...rest } = values
  const choices = { ...rest, ...(hold !== null && { hold }) }
  const isPublic = visibility === 'public'
  const named = { title, ...(slug !== undefined && { slug }) }
  const course = await createCourse(write, { ...named, field, description, language, timeZone, isPublic })
  await write.updateTable('courses').set(choices).where('id', '=', course.id).execute()
  if (typeof instructor === 'number') await addMember(write, course.id, instructor, 'instructor')
  else if (instructor !== null) await giveRole(write, course.id, instructor, 'instructor')
  return course
}

function columnsOf({ visibility, hold, ...others }: SettingsValues) {
  const columns = { ...others, ...(hold != null && { hold }) }
  return visibility === undefined ? columns : { ...columns, is_public: visibility === 'public' }
}
