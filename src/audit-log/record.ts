import { sql } from 'kysely'
import type { AuditRole, Database, Write } from '../database/schema.ts'
import type { AuditEntry } from './entry.ts'

/**
 * Writes entries of the audit log, in the transaction of what they tell of where there is one. The course of a post is looked up,
 * and the role that the actor has in it now is stored.
 * @param without who acted where it was nobody with an account
 */
export async function recordAudit(
  write: Database | Write,
  entries: readonly AuditEntry[],
  without: Extract<AuditRole, 'visitor' | 'operator' | 'forum'> = 'visitor',
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ act, actorId, isOwn, courseId, subject, detail }) => ({
    ...{ act, detail, is_own: isOwn, actor_id: actorId, course_id: courseId },
    ...{ subject_kind: subject?.kind ?? null, subject_id: subject?.id ?? null },
  }))
  await sql`
    insert into audit (act, actor_id, role, course_id, subject_kind, subject_id, detail)
    select entry.act, entry.actor_id,
      case when entry.is_own then 'self'
        when entry.actor_id is null then ${without}
        when (select is_admin from people where id = entry.actor_id) then 'admin'
        else coalesce((select role::text from course_members as member
          where member.course_id = place.id and member.person_id = entry.actor_id), 'outsider') end,
      place.id, entry.subject_kind, entry.subject_id, entry.detail
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (act text, actor_id bigint, is_own boolean,
        course_id bigint, subject_kind text, subject_id bigint, detail jsonb))
      with ordinality as entry(act, actor_id, is_own, course_id, subject_kind, subject_id, detail, position)
    cross join lateral (select coalesce(entry.course_id, case entry.subject_kind
      when 'question' then (select question.course_id from questions as question where question.id = entry.subject_id)
      when 'answer' then (select question.course_id from answers as answer
        join questions as question on question.id = answer.question_id where answer.id = entry.subject_id)
      when 'reply' then (select question.course_id from replies as reply
        join questions as question on question.id = reply.question_id where reply.id = entry.subject_id)
      end) as id) as place
    order by entry.position`.execute(write)
}
