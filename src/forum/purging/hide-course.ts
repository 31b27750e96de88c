import { sql } from 'kysely'
import { endKeys } from '../../accounts/sessions/endings.ts'
import type { Database, Write } from '../../database/schema.ts'
import { restorePendingRoles } from '../../rights/pending-roles.ts'
import { deleteCourse } from './delete-course.ts'

/** How long a deleted course can be restored. */
export const RESTORABLE_DAYS = 30

/**
 * Hides a course from everybody but admins: it is private, archived and nobody is in it. Roles, also those that wait for an
 * address, are kept for a restoration; what lets people and programs in ends (accounts/sessions/endings.ts).
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

/** Brings a course back as it was, without those who left the forum meanwhile. @returns false: its time is over, and it is being purged */
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

/** Deletes for good the courses whose time is over. */
export async function purgeDeletedCourses(db: Database): Promise<void> {
  const due = await db
    .selectFrom('course_deletions')
    .select('course_id')
    .where('deleted_at', '<=', sql<Date>`now() - ${RESTORABLE_DAYS} * interval '1 day'`)
    .orderBy('deleted_at')
    .execute()
  for (const { course_id } of due) await deleteCourse(db, course_id)
}
