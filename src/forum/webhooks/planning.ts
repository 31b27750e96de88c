import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { enqueueDue } from '../../jobs/table.ts'
import { NEW_MESSAGE } from './requests.ts'

export const WEBHOOK = 'webhook'

/** Those of alias `webhook` that have something to send now, with the time since when. Uses index webhook_deliveries_due. */
export const dueWebhooks: RawBuilder<unknown> = sql`
  select webhook.id as key, first.due_at as at from webhooks as webhook
  cross join lateral (
    select due_at from webhook_deliveries as delivery
    where delivery.webhook_id = webhook.id and delivery.done_at is null order by due_at limit 1) as first
  where webhook.stopped is null and coalesce(webhook.free_at, '-infinity') <= now() and first.due_at <= now()`

/** Adds a job for each webhook that has something to send. */
export const queueDueWebhooks = (db: Database | Write) => enqueueDue(db, WEBHOOK, dueWebhooks)

/**
 * What webhooks are to tell of events, as they get their numbers: a listener of the numbering. As an email does, a delivery waits
 * `soonSeconds`, in which a post can be mended or taken back; that something is removed waits for nothing. An archived course is quiet.
 */
export function planDeliveries(soonSeconds: number) {
  return async (
    write: Write,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<void> => {
    const { numAffectedRows = 0n } = await sql`
      insert into webhook_deliveries (webhook_id, message_id, what, event_id, due_at)
      select webhook.id, ${NEW_MESSAGE}, 'event', event.id,
        event.happened_at + case when split_part(event.type, '.', 2) = 'removed' then 0 else ${soonSeconds} end * interval '1 second'
      from events as event
      join courses as course on course.id = event.course_id and course.archived_at is null
      join webhooks as webhook on (webhook.course_id = event.course_id or webhook.course_id is null) and webhook.stopped is null
      where event.number between ${from} and ${to}
        and (event.type = any(webhook.types) or event.type = 'question.created' and 'new' = any(webhook.chat))
        and (event.audience = 'course' or webhook.with_private)
      order by webhook.id, event.number
      on conflict on constraint webhook_deliveries_event_once do nothing`.execute(write)
    if (numAffectedRows > 0n) await queueDueWebhooks(write)
  }
}

/** The course, or all of them, that a webhook of alias `webhook` is about, as a condition on alias `course`. */
export const coursesOfWebhook = sql`(webhook.course_id = course.id or webhook.course_id is null) and course.archived_at is null`

/** Since when a question of alias `desk` waits too long, in its course of alias `course`: a snooze puts it off. */
const lateSince = sql`greatest(desk.waiting_since + course.promise_hours * interval '1 hour', desk.snoozed_until)`

/**
 * Questions that everyone in the course reads and that have waited too long since the webhook of alias `webhook` was told of some, as
 * the end of a query with alias `q`. Uses index question_desk_waiting.
 */
export const lateQuestions = sql`
  courses as course
  join question_desk as desk on desk.course_id = course.id
  join questions as q on q.id = desk.question_id and q.is_listed
  where ${coursesOfWebhook} and desk.waiting_since <= now() - course.promise_hours * interval '1 hour'
    and ${lateSince} > webhook.late_until and ${lateSince} <= now()`

/** Plans what chats are told by the clock. What was switched on a moment ago begins now: nobody is told of what was before. */
export async function planByClock(db: Database): Promise<void> {
  await sql`
    with due as (
      select webhook.id, webhook.daily_at <= now() and it.is_on as is_due, it.is_on,
        coalesce(course.time_zone, owner.time_zone, 'UTC') as zone
      from ${switched('daily')}
      where webhook.daily_at <= now() or (webhook.daily_at is null) = it.is_on for update of webhook skip locked),
    planned as (
      update webhooks set daily_at = case when is_on then next_mail_at('daily', zone, now()) end
      from due where webhooks.id = due.id)
    insert into webhook_deliveries (webhook_id, message_id, what, due_at)
    select id, ${NEW_MESSAGE}, 'daily', now() from due where is_due`.execute(db)
  await sql`
    with begun as (
      select webhook.id, it.is_on from ${switched('late')}
      where (webhook.late_until is null) = it.is_on for update of webhook skip locked)
    update webhooks set late_until = case when is_on then now() end from begun where webhooks.id = begun.id`.execute(
    db,
  )
  await sql`
    insert into webhook_deliveries (webhook_id, message_id, what, due_at)
    select webhook.id, ${NEW_MESSAGE}, 'late', now() from webhooks as webhook
    where webhook.late_until is not null and exists (select from ${lateQuestions}) and not exists (
      select from webhook_deliveries as waiting
      where waiting.webhook_id = webhook.id and waiting.done_at is null and waiting.what = 'late')`.execute(
    db,
  )
}

/** Webhooks of alias `webhook`, with whether they are to tell this (`it.is_on`), their course and owner, or nulls. */
function switched(what: 'late' | 'daily'): RawBuilder<unknown> {
  return sql`webhooks as webhook
    left join courses as course on course.id = webhook.course_id
    left join people as owner on owner.id = webhook.owner_id
    cross join lateral (select
      ${what} = any(webhook.chat) and webhook.stopped is null and course.archived_at is null as is_on) as it`
}
