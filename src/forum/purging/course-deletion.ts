import { sql } from 'kysely'
import { z } from 'zod'
import { endKeys } from '../../accounts/sessions/endings.ts'
import type { Database, Write } from '../../database/schema.ts'
import { actor, isNamed, missed, owner, table, unmissed } from '../../database/table.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { restorePendingRoles } from '../../kernel/rights/pending-roles.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { lockedCourse } from '../courses/find-course.ts'
import { deleteDraftsBelow, releaseDuplicates } from './delete-posts.ts'

/**
 * People who came with a course's import: an account in which nobody signs in is deleted with the course. One that closes stays under a
 * hash of its id there (db/schema/functions/people.sql), so that a newer import brings no one back.
 */
export const importedPeople = table(
  'imported_people',
  { person_id: { ...missed(owner), leaving: 'stays', merge: 'moves' } },
  { key: ['course_id', 'source', 'origin', 'external_id'] },
)

/** Files that leave a course or come in. Of somebody who left, as of a course that is purged, the hourly sweep removes them. */
export const courseFiles = [
  table('course_exports', { asked_by: { ...unmissed(actor), leaving: 'empty', merge: 'stays' } }),
  table('course_imports', { brought_by: { ...unmissed(actor), leaving: 'empty', merge: 'stays' } }),
]

/** The course is hidden at once, and purged later. Typing its title or slug keeps one from deleting another course. */
export const removeCourse = operation({
  name: 'delete-course',
  right: 'delete-course',
  find: lockedCourse,
  input: { title: z.string() },
  events: ['course-deleted'],
  async run({ write, subject, input: { title }, note }) {
    if (![subject.title, subject.slug].includes(title.trim().normalize('NFC')))
      throw refusal('title', 'admin.course.wrongTitle', { title: subject.title })
    await hideCourse(write, subject.id)
    note('course-deleted', { courseId: subject.id })
  },
})

export const bringCourseBack = operation({
  name: 'restore-course',
  right: 'delete-course',
  find: lockedCourse,
  events: ['course-restored'],
  async run({ write, subject, note }) {
    if (!(await restoreCourse(write, subject.id))) throw notFound()
    note('course-restored', { courseId: subject.id })
  },
})

export const RESTORABLE_DAYS = 30

/**
 * Hides a course from everybody but admins: it becomes private and archived, and has no members. Roles, also
 * those that wait for an address, are kept for a restoration; what lets people and programs in ends
 * (accounts/sessions/endings.ts).
 * @returns false: it is deleted already
 */
export async function hideCourse(write: Write, courseId: number): Promise<boolean> {
  const { rows } = await sql`
    insert into course_deletions (course_id, was_public, was_archived_at, members, pending)
    select id, is_public, archived_at, '[]', '[]' from courses where id = ${courseId}
    on conflict do nothing returning course_id`.execute(write)
  if (rows.length === 0) return false
  // First: who joins by a link this moment is a member already when members are kept.
  await endKeys(write, 'courseDeleted', { courseId })
  await sql`
    with kept as (delete from course_members as member where course_id = ${courseId} returning to_jsonb(member) as member)
    update course_deletions set members = (select coalesce(jsonb_agg(member), '[]') from kept)
    where course_id = ${courseId}`.execute(write)
  const closed = { is_public: false, archived_at: sql<Date>`coalesce(archived_at, now())` }
  await write.updateTable('courses').set(closed).where('id', '=', courseId).execute()
  return true
}

/** Restores a course, without members who left the forum meanwhile. @returns false: too late, it is being purged */
export async function restoreCourse(write: Write, courseId: number): Promise<boolean> {
  const deletion = await write
    .deleteFrom('course_deletions')
    .where('course_id', '=', courseId)
    .where('deleted_at', '>', sql<Date>`now() - ${RESTORABLE_DAYS} * interval '1 day'`)
    .returning(['was_public', 'was_archived_at', 'members', 'pending'])
    .executeTakeFirst()
  if (deletion === undefined) return !(await isDeleted(write, courseId))
  const { was_public, was_archived_at, members, pending } = deletion
  await write
    .updateTable('courses')
    .set({ is_public: was_public, archived_at: was_archived_at })
    .where('id', '=', courseId)
    .execute()
  // What is given back is no appointment: who unfollowed the course still has.
  await sql`select set_config('handup.restoring', 'on', true)`.execute(write)
  await sql`
    insert into course_members (course_id, person_id, role, mail_rhythm)
    select member.course_id, people.id, member.role, member.mail_rhythm from jsonb_populate_recordset(null::course_members, ${JSON.stringify(members)}) as member
    left join account_merges as merged on merged.from_id = member.person_id
    join people on people.id = coalesce(merged.into_id, member.person_id) and people.left_at is null
    order by array_position(array['instructor', 'assistant', 'learner'], member.role)
    on conflict do nothing`.execute(write)
  await sql`select set_config('handup.restoring', '', true)`.execute(write)
  await restorePendingRoles(write, pending)
  return true
}

/** Whether a course was deleted, and may be restored or waits to be purged. */
export async function isDeleted(write: Write, courseId: number): Promise<boolean> {
  const row = await write
    .selectFrom('course_deletions')
    .select('course_id')
    .where('course_id', '=', courseId)
    .executeTakeFirst()
  return row !== undefined
}

export async function purgeDeletedCourses(db: Database): Promise<void> {
  const due = await db
    .selectFrom('course_deletions')
    .select('course_id')
    .where('deleted_at', '<=', sql<Date>`now() - ${RESTORABLE_DAYS} * interval '1 day'`)
    .orderBy('deleted_at')
    .execute()
  for (const { course_id } of due) await deleteCourse(db, course_id)
}

export type CourseParts = Awaited<ReturnType<typeof findCourseParts>>

/** How much is deleted with a course; the course itself is not counted. */
export async function findCourseParts(db: Database, courseId: number) {
  const inCourse = (table: 'answers' | 'replies') => sql`
    (select count(*) from ${sql.table(table)} as post join questions as q on q.id = post.question_id
      where q.course_id = ${courseId})::integer`
  type Part = 'members' | 'questions' | 'answers' | 'replies' | 'announcements' | 'pictures'
  const { rows } = await sql<Readonly<Record<Part, number>>>`
    select (select count(*) from course_members where course_id = ${courseId})::integer as members,
      (select count(*) from questions where course_id = ${courseId})::integer as questions,
      ${inCourse('answers')} as answers, ${inCourse('replies')} as replies,
      (select count(*) from announcements where course_id = ${courseId})::integer as announcements,
      (select count(distinct image_id) from post_images as shown
        left join answers as a on a.id = shown.answer_id left join replies as r on r.id = shown.reply_id
        left join announcements as news on news.id = shown.announcement_id
        left join questions as q on q.id = coalesce(shown.question_id, a.question_id, r.question_id)
        where coalesce(q.course_id, news.course_id) = ${courseId})::integer as pictures`.execute(db)
  const [parts] = rows
  if (parts === undefined) throw new Error('a count gave no row')
  return parts
}

/** Questions of one step, so that nobody waits long for it. */
const BATCH = 100

/**
 * Deletes a course for good with everything in it, and the people who only came with its imports. First it is closed to everybody
 * but its members, then its questions are deleted in batches, and the course last: if the process is killed, a smaller course is
 * left, which can be deleted again. sweepPictures removes the pictures.
 * @param onStep gets how many questions were deleted
 */
export async function deleteCourse(
  db: Database,
  courseId: number,
  onStep: (questions: number) => void = () => {},
): Promise<void> {
  const now = sql<Date>`coalesce(archived_at, now())`
  const closed = { is_public: false, archived_at: now }
  await db.updateTable('courses').set(closed).where('id', '=', courseId).execute()
  for (;;) {
    const deleted = await deleteSome(db, courseId)
    onStep(deleted)
    if (deleted < BATCH) break
  }
  await db.transaction().execute(async (write) => {
    const { rows: people } = await sql<{ id: number; is_gone: boolean }>`
      select person_id as id, is_gone from imported_people where course_id = ${courseId}`.execute(write)
    // Accounts that were gone where they came from.
    const gone = people.flatMap(({ id, is_gone }) => (is_gone ? [id] : []))
    await sql`delete from drafts using courses as course where course.id = ${courseId}
      and (place like '/courses/' || course.slug || '/%' or fields ->> 'course' = course.slug)`.execute(write)
    await write.deleteFrom('courses').where('id', '=', courseId).execute()
    // Those in whose accounts no one can sign in, and who have nothing elsewhere.
    await sql`
      delete from people as person
      where id = any(${people.map(({ id }) => id)}::bigint[]) and (left_at is null or id = any(${gone}::bigint[])) and not ${canSignIn()}
        and not ${isNamed('person')}`.execute(write)
  })
}

function deleteSome(db: Database, courseId: number): Promise<number> {
  return db.transaction().execute(async (write) => {
    const questions = await write
      .selectFrom('questions')
      .select('id')
      .where('course_id', '=', courseId)
      .orderBy('id')
      .limit(BATCH)
      .forUpdate()
      .execute()
    const ids = questions.map(({ id }) => id)
    await deleteDraftsBelow(write, ids)
    await releaseDuplicates(write, ids)
    await sql`delete from questions where id = any(${ids}::bigint[])`.execute(write)
    return ids.length
  })
}
