import { sql } from 'kysely'
import type { z } from 'zod'
import type { Write } from '../../database/schema.ts'
import { addMember, createCourse, DEFAULT_CATEGORY, type NewCourse } from '../courses/commands.ts'
import { giveRole } from '../courses/roles.ts'
import { makeEntry } from '../faq/commands.ts'
import { listEntries } from '../faq/queries.ts'
import type { SettingsValues, settings } from './form.ts'

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
export async function makeCourse(
  write: Write,
  values: z.output<typeof settings> & Pick<NewCourse, 'slug'>,
  instructor: string | number | null,
): Promise<{ id: number; slug: string }> {
  const { slug, title, field, description, language, time_zone: timeZone, visibility, ...choices } = values
  const isPublic = visibility === 'public'
  const named = { title, ...(slug !== undefined && { slug }) }
  const course = await createCourse(write, { ...named, field, description, language, timeZone, isPublic })
  await write.updateTable('courses').set(choices).where('id', '=', course.id).execute()
  if (typeof instructor === 'number') await addMember(write, course.id, instructor, 'instructor')
  else if (instructor !== null) await giveRole(write, course.id, instructor, 'instructor')
  return course
}

/**
 * Makes a course like another for its next run: the same settings, lectures and categories; no people but the one who makes
 * it, and no questions.
 * @param instructorId who makes it; an admin, too: every course has an instructor
 */
export async function copyCourse(
  write: Write,
  courseId: number,
  title: string,
  instructorId: number,
): Promise<{ id: number; slug: string }> {
  const source = await write
    .selectFrom('courses')
    .select(['field', 'description', 'language', 'time_zone', 'is_public', 'asking', 'accent'])
    .select(['question_template', 'synonyms', 'promise_hours', 'allows_private', 'allows_anonymous'])
    .select('allows_embeddings')
    .where('id', '=', courseId)
    .executeTakeFirstOrThrow()
  const { field, description, language, time_zone: timeZone, is_public: isPublic, ...choices } = source
  const course = await createCourse(write, { title, field, description, language, timeZone, isPublic })
  await write.updateTable('courses').set(choices).where('id', '=', course.id).execute()
  await sql`
    insert into lectures (course_id, position, title)
    select ${course.id}, position, title from lectures where course_id = ${courseId} order by position`.execute(
    write,
  )
  await sql`
    insert into categories (course_id, slug, name, position)
    select ${course.id}, slug, name, position from categories
    where course_id = ${courseId} and slug <> ${DEFAULT_CATEGORY.slug} order by position, id`.execute(write)
  await copyEntries(write, courseId, course.id)
  await addMember(write, course.id, instructorId, 'instructor')
  return course
}

/** Entries of the FAQ come along as texts: the questions they were about do not. */
async function copyEntries(write: Write, from: number, to: number): Promise<void> {
  const entries = await listEntries(write, from, ['proposed', 'shown'])
  for (const { state, position, title, source } of entries)
    await makeEntry(write, { courseId: to, about: { title, body: source }, state, position })
}

function columnsOf({ visibility, ...columns }: SettingsValues) {
  return visibility === undefined ? columns : { ...columns, is_public: visibility === 'public' }
}
