import { type RawBuilder, sql } from 'kysely'
import type { Reason, Write } from '../../database/schema.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { isReadableByPerson, joinReader } from '../../kernel/rights/visibility.ts'
import { choices, deliverTold } from './deliveries.ts'

/** A question, or an answer or a reply in it: at most one of the two. */
export interface MentioningPost {
  readonly questionId: number
  readonly answerId?: number
  readonly replyId?: number
}

interface Happening extends MentioningPost {
  /** Who did it, who is never told; null: nobody who is known. */
  readonly actorId: number | null
  readonly at: RawBuilder<Date>
}

/** People and why each is told: a query with the columns `person_id` and `reason`. */
export type Recipients = RawBuilder<unknown>

/**
 * Tells people, in the transaction of what happened: one statement, however many they are, in the order of their ids, so that two
 * of them never wait for each other. The strongest reason counts. Left out are the actor, who muted the question, who may not read
 * it, and who cannot sign in.
 */
export async function notify(write: Write, happening: Happening, recipients: Recipients): Promise<void> {
  const { questionId, answerId = null, replyId = null, actorId, at } = happening
  await sql`
    with told as materialized (
      select person.id as person_id, q.id as question_id, told.reason, moment.at, ${choices}
      from (
        select distinct on (person_id) person_id, reason from (${recipients}) as recipient
        order by person_id, notice_rank(reason)
      ) as told
      cross join (select ${at}::timestamptz(3) as at) as moment
      join people as person on person.id = told.person_id
      join questions as q on q.id = ${questionId}
      ${joinReader}
      left join question_follows as said on said.question_id = q.id and said.person_id = person.id
      where person.id is distinct from ${actorId}::bigint and ${canSignIn()}
        and said.level is distinct from 'mute' and ${isReadableByPerson} and (q.is_shown or told.reason = 'held')
      order by person.id for key share of person
    ), noticed as (
      insert into notifications as notice (person_id, question_id, reason, first_answer_id, first_reply_id,
        since_at, happened_at, accepted_at, endorsed_at, overdue_at, clarify_at, held_at, released_at, moved_at, converted_at)
      select person_id, question_id, reason, ${answerId}::bigint, ${replyId}::bigint, at, at,
        case reason when 'accepted' then at end, case reason when 'endorsed' then at end,
        case reason when 'promise' then at end, case reason when 'clarification' then at end,
        case reason when 'held' then at end, case reason when 'released' then at end,
        case reason when 'moved' then at end, case reason when 'converted' then at end
      from told order by person_id
      on conflict on constraint notifications_subject_key do update set
        reason = case when notice.seen_at is null and notice_rank(notice.reason) <= notice_rank(excluded.reason)
          then notice.reason else excluded.reason end,
        count = case when notice.seen_at is null then notice.count + 1 else 1 end,
        first_answer_id = case when notice.seen_at is null then notice.first_answer_id else excluded.first_answer_id end,
        first_reply_id = case when notice.seen_at is null then notice.first_reply_id else excluded.first_reply_id end,
        since_at = case when notice.seen_at is null then notice.since_at else excluded.since_at end,
        happened_at = excluded.happened_at,
        seen_at = null,
        accepted_at = coalesce(excluded.accepted_at, notice.accepted_at),
        endorsed_at = coalesce(excluded.endorsed_at, notice.endorsed_at),
        overdue_at = coalesce(excluded.overdue_at, notice.overdue_at),
        clarify_at = coalesce(excluded.clarify_at, notice.clarify_at),
        held_at = coalesce(excluded.held_at, notice.held_at),
        released_at = coalesce(excluded.released_at, notice.released_at),
        moved_at = coalesce(excluded.moved_at, notice.moved_at),
        converted_at = coalesce(excluded.converted_at, notice.converted_at)
      returning notice.id, notice.person_id
    ), ${deliverTold}`.execute(write)
}

export const onePerson = (personId: number | RawBuilder<unknown>, reason: Reason): Recipients =>
  sql`select (${personId})::bigint as person_id, ${reason}::text as reason`

/**
 * The staff of a course who can be told of somebody's question, as a table: `person_id`, `role`, and whether they follow the course
 * (`follows`), as staff do unless they said otherwise. Not who asked, nor who cannot sign in.
 */
export function staffToNotify(courseId: RawBuilder<unknown>, askerId: RawBuilder<unknown>) {
  return sql`(
    select staff.person_id, staff.role, coalesce(said.is_followed, true) as follows
    from course_members as staff
    join people as account on account.id = staff.person_id and ${canSignIn('account')}
    left join course_follows as said on said.course_id = staff.course_id and said.person_id = staff.person_id
    where staff.course_id = ${courseId} and staff.role <> 'learner' and staff.person_id <> ${askerId})`
}
