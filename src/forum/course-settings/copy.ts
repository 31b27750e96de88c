import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { operation } from '../../kernel/operation.ts'
import { addMember, createCourse, DEFAULT_CATEGORY } from '../courses/commands.ts'
import { course } from '../courses/find-course.ts'
import { makeEntry } from '../faq/operations.ts'
import { listEntries } from '../faq/queries.ts'
import { bringAlong, broughtFields } from './brought-questions.ts'
import { SETTING_COLUMNS, title } from './settings.ts'

export const courseCopy = operation({
  name: 'copy-course',
  right: 'manage',
  find: course,
  once: true,
  input: { title: title(), ...broughtFields },
  events: ['course-made'],
  async run({ write, actor, subject, input, note }) {
    const { id, slug } = await copyCourse(write, subject.id, input.title, personOf(actor).id)
    await bringAlong(write, subject.id, id, input)
    note('course-made', { courseId: id, likeId: subject.id })
    return { slug }
  },
})

/**
 * Makes a course like another for its next run: the same settings, lectures and categories; no people but the one who makes
 * it, and no questions.
 * @param instructorId who makes it; an admin, too: every course has an instructor
 */
export async function copyCourse(write: Write, courseId: number, title: string, instructorId: number) {
  const source = await write
    .selectFrom('courses')
    .select([...SETTING_COLUMNS, 'is_public'])
    .where('id', '=', courseId)
    .executeTakeFirstOrThrow()
  const {
    title: _,
    field,
    description,
    language,
    time_zone: timeZone,
    is_public: isPublic,
    ...choices
  } = source
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

/** Entries of the FAQ come along as texts: the questions they were about need not. */
async function copyEntries(write: Write, from: number, to: number): Promise<void> {
  const entries = await listEntries(write, from, ['proposed', 'shown'])
  for (const { state, position, title, source } of entries)
    await makeEntry(write, { courseId: to, about: { title, body: source }, state, position })
}
