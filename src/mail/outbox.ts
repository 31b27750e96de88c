import { type RawBuilder, sql } from 'kysely'
import { type PageRequest, pageAlong, pageOf } from '../database/keyset.ts'
import type { Database } from '../database/schema.ts'
import { apart, holder, table } from '../database/table.ts'
import { sweep, term } from '../database/terms.ts'
import { isQueued } from '../jobs/table.ts'

export const mails = table('mails', { person_id: apart(holder) })

/** The kind of the jobs that send mails, of which the key is the mail's id: db/schema/functions/telling.sql adds them. */
export const MAIL = 'mail'

/** Whether the mail of table `mails` is still to be sent: without a job it was sent or given up. */
export const isWaiting: RawBuilder<boolean> = isQueued(MAIL, sql`mails.id::text`)

/**
 * Records that the mail server accepted these mails. Deletes their bodies, which may hold a link that opens an account; mail
 * about no account is deleted completely, unless it invites: that one of those came back has to be known.
 * @returns their kinds by their ids: one that is not among them was recorded before, or is gone
 */
export async function markSent(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const isOne = sql`id = any(${[...ids]}::bigint[])`
  const { rows } = await sql<{ id: number; kind: string }>`
    with gone as (delete from mails where ${isOne} and person_id is null and not is_bulk returning id, kind),
    sent as (
      update mails set sent_at = now(), text = '', html = '', headers = '{}', tells = '[]'
      where ${isOne} and sent_at is null and (person_id is not null or is_bulk) returning id, kind)
    select id, kind from gone union all select id, kind from sent`.execute(db)
  return new Map(rows.map(({ id, kind }) => [id, kind]))
}

/**
 * Seconds in which no more than their part of a minute's mails are sent: what is new after a burst waits no
 * longer than that.
 */
const PACE_SECONDS = 10

/** Mails of what is new that may be sent now, by all processes together. @param rate a minute at most */
export async function bulkAllowance(db: Database, rate: number): Promise<number> {
  const { rows } = await sql<{ minute: number; lately: number }>`
    select count(*)::integer as minute,
      count(*) filter (where sent_at > now() - make_interval(secs => ${PACE_SECONDS}))::integer as lately
    from mails where is_bulk and sent_at > now() - interval '1 minute'`.execute(db)
  const { minute, lately } = rows[0] ?? { minute: 0, lately: 0 }
  return Math.max(0, Math.min(rate - minute, Math.ceil((rate * PACE_SECONDS) / 60) - lately))
}

/** Mails of what is new that came back in a row before an address gets no more of them. */
const MAX_RETURNED = 3

/** Stops mail of what is new to the address of a mail that came back, or was refused for good, as were the two before it. */
export async function stopReturning(db: Database, id: number): Promise<void> {
  await sql`
    update people set mail_stopped_for = email from mails as returned
    where returned.id = ${id} and returned.is_bulk and people.id = returned.person_id and people.email = returned.recipient
      and (select count(*) from (
        select sent_at, bounced_at from mails
        where mails.recipient = returned.recipient and mails.is_bulk and (mails.sent_at is not null or not ${isWaiting})
        order by mails.id desc limit ${MAX_RETURNED}) as latest
        where sent_at is null or bounced_at is not null) = ${MAX_RETURNED}`.execute(db)
}

/** Deletes old mails, and those to deleted accounts. @returns how many */
export function sweepMails(db: Database): Promise<number> {
  return sweep(
    db,
    'mails',
    sql`written_at < now() - ${term('mails')} or (person_id is null and not is_bulk and not ${isWaiting})`,
  )
}

export const MAILS_PER_PAGE = 30

/** All mails, newest first: their `text` is '' once sent. Uses index mails_written. */
export async function listMails(db: Database, request: PageRequest) {
  const page = pageAlong('mail.written_at', 'mail.id', 'time', request)
  const rows = await db
    .selectFrom('mails as mail')
    .leftJoin('jobs as job', (join) =>
      join.on('job.kind', '=', 'mail').on('job.key', '=', sql<string>`mail.id::text`),
    )
    .select(['mail.id', 'mail.recipient', 'mail.subject', 'mail.language', 'mail.text'])
    .select(['mail.written_at as writtenAt', 'job.last_error as lastError'])
    .select(sql<number>`coalesce(job.tries, 0)`.as('tries'))
    .select(
      sql<'sent' | 'waiting' | 'givenUp'>`case when mail.sent_at is not null then 'sent'
        when job.give_up_at > now() then 'waiting' else 'givenUp' end`.as('state'),
    )
    .where(page.beyond)
    .orderBy(page.order)
    .limit(MAILS_PER_PAGE + 1)
    .execute()
  return pageOf(rows, MAILS_PER_PAGE, request, ({ writtenAt }) => writtenAt)
}
