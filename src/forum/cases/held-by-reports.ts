import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Doing } from '../../kernel/operation.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { hasShown, isStrangerIn, noteHeld } from '../posts/hold.ts'
import { KINDS } from '../posts/kinds.ts'
import type { LockedPost } from '../posts/lock.ts'
import { holdPost } from '../posts/removal.ts'
import { postKeyOf, type Subject } from './subject.ts'

/** Posts that somebody without a given role has to have in the forum for their report to count. */
const POSTS_OF_REPORTERS = 5

/** Two bytes of a hash of a case and a network: enough to tell whether its reports come from one, too little to tell which. */
export const markOf = (caseId: number, network: string) =>
  createHash('sha256').update(`${caseId} ${network}`).digest().readUInt16BE()

/**
 * Holds a stranger's post until staff look, once enough members of standing reported this text of it, and not all of them from one network,
 * where the course holds suspicious posts. Its case is locked.
 * @param reportId of the one that was made now
 * @returns the course's slug; null: it isn't held by this
 */
export async function holdReported(
  doing: Doing<unknown, LockedPost, 'post-held'>,
  reported: Subject,
  reportId: number,
): Promise<string | null> {
  const { write, subject, careful } = doing
  const post = postKeyOf(reported)
  if (careful === null || post === null) return null
  const { reportsThatHold } = await findSiteSettings(write)
  const { rows } = await sql<{ slug: string }>`
    select course.slug from courses as course, people as person
    where course.id = ${subject.courseId} and course.hold <> 'none' and person.id = ${subject.authorId}
      and ${isStrangerIn(sql`course.id`)} and (
        select count(*) >= ${reportsThatHold} and count(distinct network_mark) > 1
        from reports join cases as matter on matter.id = reports.case_id join people as person on person.id = reports.person_id
        where matter.id = (select case_id from reports where id = ${reportId}) and reports.text_version = matter.text_version and person.joined_at < now() - interval '7 days'
          and (${hasShown(POSTS_OF_REPORTERS)} or exists (select from course_members as given
            where given.course_id = course.id and given.person_id = person.id and given.is_given)))`.execute(
    write,
  )
  const [held] = rows
  if (held === undefined || !(await holdPost(write, post, 'reports'))) return null
  await noteHeld(doing, { kind: KINDS[post.table].kind, id: post.id }, 'reports')
  return held.slug
}
