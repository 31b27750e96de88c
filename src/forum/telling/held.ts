import { type RawBuilder, sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { isThere } from '../../kernel/rights/visibility.ts'
import { notify, staffToNotify } from './notify.ts'

/**
 * The posts that wait to be let through, as a query: `kind`, `id`, `question_id`, `course_id`, `author_id`, `held_at`, `held_for`. Indexes:
 * questions_held, answers_held, replies_held.
 * @param isAsked of alias `asked`, the question that a post is or is under
 */
export const heldPosts = (isAsked: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select 'question' as kind, asked.id, asked.id as question_id, asked.course_id, asked.author_id, asked.held_at, asked.held_for
  from questions as asked
  where asked.held_at is not null and asked.deleted_at is null and asked.hidden_at is null and ${isThere('asked')} and ${isAsked}
  union all ${heldBelow('answer', isAsked)} union all ${heldBelow('reply', isAsked)}`

const heldBelow = (kind: 'answer' | 'reply', isAsked: RawBuilder<unknown>) => sql`
  select ${sql.lit(kind)}, post.id, asked.id, asked.course_id, post.author_id, post.held_at, post.held_for
  from ${sql.table(kind === 'answer' ? 'answers' : 'replies')} as post join questions as asked on asked.id = post.question_id
  where post.held_at is not null and post.deleted_at is null and post.hidden_at is null and asked.deleted_at is null and ${isThere('post')}
    and ${isAsked}`

/** Those of a course. */
export const heldIn = (courseId: RawBuilder<unknown>) => heldPosts(sql`asked.course_id = ${courseId}`)

/** Of alias `course`, and `waiting`, the times of what is held there: staff hear of it at once, and once an hour from then on. */
const isDue = sql<boolean>`(course.held_told_at is null
  or (waiting.newest > course.held_told_at and course.held_told_at <= now() - interval '1 hour')
  or waiting.oldest + interval '2 days' between course.held_told_at and now())`

/** Courses whose staff are to be told again that posts wait, and when. */
export const heldDue = sql`
  select course.id as key, case when waiting.newest > course.held_told_at then course.held_told_at + interval '1 hour'
    else waiting.oldest + interval '2 days' end as at
  from courses as course join (
    select course_id, min(held_at) as oldest, max(held_at) as newest from (${heldPosts(sql`true`)}) as held group by course_id
  ) as waiting on waiting.course_id = course.id
  where ${isDue}`

/**
 * Tells the staff of a course that posts wait to be let through, as often as isDue says; of what has waited for two days the admins as
 * well. In the transaction that holds a post, at its end, or that of the hourly job.
 */
export async function notifyOfHeld(write: Write, courseId: number): Promise<void> {
  const { rows } = await sql<{ questionId: number; isLate: boolean }>`
    update courses as course set held_told_at = clock_timestamp()
    from (
      select min(held_at) as oldest, max(held_at) as newest, (array_agg(question_id order by held_at desc))[1] as question_id
      from (${heldIn(sql`${courseId}`)}) as held
    ) as waiting
    where course.id = ${courseId} and waiting.newest is not null and ${isDue}
    returning waiting.question_id as "questionId", waiting.oldest <= now() - interval '2 days' as "isLate"`.execute(
    write,
  )
  const [due] = rows
  if (due === undefined) return
  const { questionId, isLate } = due
  const told = sql`
    select person_id, 'held' as reason from ${staffToNotify(sql`${courseId}`, sql`0`)} as staff
    union all select id, 'held' from people where is_admin and ${isLate}`
  await notify(write, { questionId, actorId: null, at: sql<Date>`clock_timestamp()` }, told)
}
