import { sql } from 'kysely'
import type { Language, Role, Write } from '../../database/schema.ts'
import { slugOf } from '../../text/slug.ts'

/** What a course begins with. Without a slug it gets one made of its title. */
export interface NewCourse {
  readonly slug?: string
  readonly title: string
  readonly field?: string
  readonly description?: string
  readonly language: Language
  /** An IANA name: times are shown in it to readers who chose none. */
  readonly timeZone: string
  readonly isPublic?: boolean
}

export interface LectureTitle {
  /** From 1. */
  readonly position: number
  readonly title: string
}

/** A slug that somebody chose belongs to another course. */
export class SlugTaken extends Error {
  constructor(slug: string) {
    super(`there is a course "${slug}" already`)
  }
}

/** As the constraint courses_slug_form has it. */
const SLUG_LENGTH = 80

/** Each course's first category; its name is shown in the reader's language. */
export const DEFAULT_CATEGORY = { slug: 'questions-and-answers', name: 'Questions & answers' }

/**
 * Makes a course with its default category. A slug made of the title gets a number when another course has
 * it.
 * @throws SlugTaken when the slug was given and another course has it
 */
export async function createCourse(write: Write, course: NewCourse): Promise<{ id: number; slug: string }> {
  const created =
    course.slug === undefined
      ? await insertNumbered(write, course)
      : await insertCourse(write, course, course.slug)
  if (created === undefined) throw new SlugTaken(course.slug ?? '')
  await insertCategory(write, created.id, DEFAULT_CATEGORY.slug, DEFAULT_CATEGORY.name)
  return created
}

/**
 * Gives a course these lectures: a position that is there gets the new title, one that is not is added. A
 * lecture that is no longer named goes, unless somebody asked about it.
 * @returns the lectures that stay though they are not named
 */
export async function setLectures(write: Write, courseId: number, lectures: readonly LectureTitle[]) {
  const positions = lectures.map((lecture) => lecture.position)
  const titles = lectures.map((lecture) => lecture.title)
  await sql`
    insert into lectures (course_id, position, title)
    select ${courseId}, position, title from unnest(${positions}::integer[], ${titles}::text[]) as lecture (position, title)
    on conflict on constraint lectures_position_key do update set title = excluded.title
    where lectures.title <> excluded.title`.execute(write)
  await sql`
    delete from lectures where course_id = ${courseId} and position <> all(${positions}::integer[])
    and not exists (select from questions where questions.lecture_id = lectures.id)`.execute(write)
  return write
    .selectFrom('lectures')
    .select(['position', 'title'])
    .where('course_id', '=', courseId)
    .where(sql<boolean>`position <> all(${positions}::integer[])`)
    .orderBy('position')
    .execute()
}

/** Gives a person a role in a course, instead of the one they may have. */
export async function addMember(write: Write, courseId: number, personId: number, role: Role): Promise<void> {
  await write
    .insertInto('course_members')
    .values({ course_id: courseId, person_id: personId, role })
    .onConflict((conflict) =>
      conflict.columns(['course_id', 'person_id']).doUpdateSet({ role, is_given: true }),
    )
    .execute()
}

/**
 * Makes a person a learner of a course, unless they have a role there: with what they write under their name. Members find each
 * other by name, so that whoever joined with what they wrote without it would be known by the time.
 * @param isGiven staff gave it to them, as by a link: they are no stranger there
 */
export async function joinCourse(
  write: Write,
  courseId: number,
  personId: number,
  isGiven = false,
): Promise<void> {
  await write
    .insertInto('course_members')
    .values({ course_id: courseId, person_id: personId, role: 'learner', is_given: isGiven })
    .onConflict((conflict) => {
      const member = conflict.columns(['course_id', 'person_id'])
      return isGiven ? member.doUpdateSet({ is_given: true }) : member.doNothing()
    })
    .execute()
}

/**
 * Adds a category after those a course has, unless one has this name. Its slug gets a number when another
 * category has it: "C++" and "C#" are two.
 */
export async function addCategory(write: Write, courseId: number, name: string): Promise<void> {
  const namesake = await write
    .selectFrom('categories')
    .select('id')
    .where('course_id', '=', courseId)
    .where('name', '=', name)
    .executeTakeFirst()
  if (namesake !== undefined) return
  const base = slugOf(name, 'category')
  for (let number = 1; ; number += 1) {
    if (await insertCategory(write, courseId, numbered(base, number), name)) return
  }
}

/** @returns false: another category has the slug */
async function insertCategory(write: Write, courseId: number, slug: string, name: string): Promise<boolean> {
  const inserted = await write
    .insertInto('categories')
    .values({
      course_id: courseId,
      slug,
      name,
      position: sql`(select coalesce(max(position) + 1, 0) from categories where course_id = ${courseId})`,
    })
    .onConflict((conflict) => conflict.columns(['course_id', 'slug']).doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** Tries the title's slug, then with -2, -3, …: inserting decides, so two at once do not get the same. */
async function insertNumbered(write: Write, course: NewCourse): Promise<{ id: number; slug: string }> {
  const base = slugOf(course.title, 'course')
  for (let number = 1; ; number += 1) {
    const created = await insertCourse(write, course, numbered(base, number))
    if (created !== undefined) return created
  }
}

function numbered(base: string, number: number): string {
  const suffix = number === 1 ? '' : `-${number}`
  const kept = [...base].slice(0, SLUG_LENGTH - suffix.length).join('')
  return `${kept.replace(/-+$/, '')}${suffix}`
}

/** /courses/new makes a course, so none has this name. */
const RESERVED = 'new'

async function insertCourse(write: Write, course: NewCourse, slug: string) {
  if (slug === RESERVED) return undefined
  return write
    .insertInto('courses')
    .values({
      slug,
      title: course.title,
      field: course.field ?? '',
      description: course.description ?? '',
      language: course.language,
      time_zone: course.timeZone,
      is_public: course.isPublic ?? true,
      hold: course.isPublic === false ? 'none' : 'signals',
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning(['id', 'slug'])
    .executeTakeFirst()
}
