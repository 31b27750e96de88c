import { sql } from 'kysely'
import { beginBulk, endBulk } from '../../database/bulk.ts'
import type { Write } from '../../database/schema.ts'
import { isNamed } from '../../database/table.ts'
import { lockTagsOf } from '../../forum/tags/tagging.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { deleteUnusedTags, type Taking } from './posts-taken-back.ts'

/**
 * Announcements and FAQ entries of a run go, and lectures and categories that it made and nothing else uses; pictures with the next sweep
 * where nothing shows them. What stays is the course's own.
 * @returns whether there was anything
 */
export async function takeThings(write: Write, { id, courseId }: Taking): Promise<boolean> {
  const { rows } = await sql`select from imported_things where run_id = ${id} limit 1`.execute(write)
  if (rows.length === 0) return false
  await beginBulk(write)
  const made = sql`select from imported_things as made where made.run_id = ${id}`
  await sql`delete from announcements where exists (${made} and made.announcement_id = announcements.id)`.execute(
    write,
  )
  await sql`delete from faq_entries where exists (${made} and made.faq_entry_id = faq_entries.id)`.execute(
    write,
  )
  // Locked first: whoever asks in one of them at this moment is seen then.
  await sql`select from lectures where course_id = ${courseId} order by id for update`.execute(write)
  await sql`select from categories where course_id = ${courseId} order by id for update`.execute(write)
  await sql`
    delete from lectures where exists (${made} and made.lecture_id = lectures.id)
      and not exists (select from questions where lecture_id = lectures.id)
      and not exists (select from lecture_follows where lecture_id = lectures.id)`.execute(write)
  await sql`
    delete from categories where exists (${made} and made.category_id = categories.id)
      and not exists (select from questions where course_id = ${courseId} and category_id = categories.id)`.execute(
    write,
  )
  await deleteMadeTags(write, id, courseId)
  // Those of a later import are others.
  await sql`
    delete from imported_things where run_id = ${id} and image_id is not null
      and not exists (select from post_images where image_id = imported_things.image_id)`.execute(write)
  await sql`update imported_things set run_id = null where run_id = ${id}`.execute(write)
  await endBulk(write)
  return true
}

/** Tags that a run brought with what they mean, where no question has them any more and nobody follows them. */
async function deleteMadeTags(write: Write, runId: number, courseId: number): Promise<void> {
  await lockTagsOf(write, courseId)
  const { rows } = await sql<{ id: number }>`
    select made.tag_id as id from imported_things as made where made.run_id = ${runId} and made.tag_id is not null
      and not exists (select from question_tags where tag_id = made.tag_id and course_id = ${courseId})
      and not exists (select from tag_follows where tag_id = made.tag_id)`.execute(write)
  const ids = rows.map(({ id }) => id)
  await sql`delete from tag_aliases where course_id = ${courseId} and tag_id = any(${ids}::bigint[])`.execute(
    write,
  )
  await sql`
    update course_tags set description = '' where course_id = ${courseId} and tag_id = any(${ids}::bigint[])`.execute(
    write,
  )
  await deleteUnusedTags(write, { tags: ids, courses: [courseId] })
  await sql`delete from imported_things where run_id = ${runId} and tag_id = any(${ids}::bigint[])`.execute(
    write,
  )
}

/** People that go in a transaction. */
const PEOPLE_AT_ONCE = 500

/**
 * People of a run go who have nothing else, and in whose accounts nobody can sign in.
 * @returns how many were looked at; 0: none is left
 */
export async function takePeople(write: Write, { id }: Taking): Promise<number> {
  const { rows } = await sql<{ person: number; isGone: boolean }>`
    select person_id as person, is_gone as "isGone" from imported_people where run_id = ${id} limit ${PEOPLE_AT_ONCE}`.execute(
    write,
  )
  await beginBulk(write)
  const people = rows.map(({ person }) => person)
  const gone = rows.flatMap(({ person, isGone }) => (isGone ? [person] : []))
  const isNamedElsewhere = isNamed('person', ({ table, isMissed }) => isMissed && table !== 'imported_people')
  await sql`
    delete from people as person where id = any(${people}::bigint[]) and (left_at is null or id = any(${gone}::bigint[]))
      and not ${canSignIn()} and not ${isNamedElsewhere}
      and not exists (select from imported_people as other where other.person_id = person.id and other.run_id is distinct from ${id})`.execute(
    write,
  )
  await sql`
    update imported_people set run_id = null where run_id = ${id} and person_id = any(${people}::bigint[])`.execute(
    write,
  )
  return people.length
}
