import { sql } from 'kysely'
import type { Database, Language } from '../database/schema.ts'
import { sweep } from '../database/sweep.ts'

/** A mail that is due. */
export interface DueMail {
  readonly id: number
  /** The same on each attempt. */
  readonly key: string
  readonly kind: string
  readonly recipient: string
  readonly language: Language
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Beside those that every mail has. */
  readonly headers: Readonly<Record<string, string>>
  /** It tells what is new. */
  readonly isBulk: boolean
  readonly writtenAt: Date
  /** Including this one. */
  readonly tries: number
}

/**
 * How long mail stays in the admin's list after it was sent or given up. Mail to a deleted account is deleted once it
 * is sent.
 */
const RETENTION = sql`interval '30 days'`

/**
 * Claims due mails. Concurrent processes get different ones. Mails of a process that dies become due again after
 * `lease` seconds, which must exceed the time of a delivery.
 * Mails that an account needs come before those of what is new, of which `bulkLimit` are claimed at most.
 * @param takesOver whether to claim mails whose lease, held by another process, has expired
 */
export function claimMails(
  db: Database,
  limit: number,
  lease: number,
  takesOver: boolean,
  bulkLimit: number = limit,
): Promise<DueMail[]> {
  return db
    .with(
      (name) => name('due').materialized(),
      (query) =>
        query
          .selectFrom('mails')
          .select('id')
          .where('sent_at', 'is', null)
          .where('due_at', '<=', sql<Date>`now()`)
          .where('give_up_at', '>', sql<Date>`now()`)
          .$if(bulkLimit === 0, (query) => query.where('is_bulk', '=', false))
          .$if(!takesOver, (query) =>
            query.where((where) => where.or([where('tries', '=', 0), where('last_error', 'is not', null)])),
          )
          .orderBy('is_bulk')
          .orderBy('due_at')
          .orderBy('id')
          .limit(bulkLimit === 0 ? limit : Math.min(limit, bulkLimit))
          .forUpdate()
          .skipLocked(),
    )
    .updateTable('mails as mail')
    .from('due')
    .whereRef('mail.id', '=', 'due.id')
    .set({ tries: sql`mail.tries + 1`, due_at: secondsFromNow(lease), last_error: null })
    .returning(['mail.id', 'mail.key', 'mail.kind', 'mail.recipient', 'mail.language', 'mail.subject'])
    .returning([
      'mail.text',
      'mail.html',
      'mail.written_at as writtenAt',
      'mail.tries',
      'mail.headers',
      'mail.is_bulk as isBulk',
    ])
    .execute()
}

/**
 * Records that the mail server accepted the mail. Deletes its body, which may hold a link that opens an account; mail
 * without an account is deleted completely.
 */
export async function markSent(db: Database, id: number): Promise<void> {
  const gone = await db
    .deleteFrom('mails')
    .where('id', '=', id)
    .where('person_id', 'is', null)
    .executeTakeFirst()
  if (gone.numDeletedRows > 0n) return
  await db
    .updateTable('mails')
    .set({ sent_at: sql`now()`, text: '', html: '', headers: '{}', last_error: null })
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    .execute()
}

/**
 * Records a failed attempt.
 * @param seconds until the next attempt; null: none, as it was rejected permanently
 */
export async function markFailed(
  db: Database,
  { id, tries }: DueMail,
  reason: string,
  seconds: number | null,
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ last_error: reason.slice(0, 500) })
    .$if(seconds !== null, (query) => query.set({ due_at: secondsFromNow(seconds ?? 0) }))
    .$if(seconds === null, (query) => query.set({ give_up_at: sql`now()` }))
    .where('id', '=', id)
    // If another process has claimed it meanwhile, its outcome counts.
    .where('tries', '=', tries)
    .where('sent_at', 'is', null)
    .execute()
}

/** How many more mails of what is new may be sent in this minute, by all processes together. */
export async function bulkAllowance(db: Database, rate: number): Promise<number> {
  const { rows } = await sql<{ sent: number }>`
    select count(*)::integer as sent from mails where is_bulk and sent_at > now() - interval '1 minute'`.execute(
    db,
  )
  return Math.max(0, rate - (rows[0]?.sent ?? 0))
}

/** Mails of what is new that came back in a row before an address gets no more of them. */
const MAX_RETURNED = 3

/** Stops mail of what is new to the address of a mail that came back, or was refused for good, as were the two before it. */
export async function stopReturning(db: Database, id: number): Promise<void> {
  await sql`
    update people set mail_stopped_for = email from mails as returned
    where returned.id = ${id} and returned.is_bulk and people.id = returned.person_id and people.email = returned.recipient
      and (select count(*) from (
        select sent_at, bounced_at from mails as latest
        where latest.recipient = returned.recipient and latest.is_bulk
          and (latest.sent_at is not null or latest.give_up_at <= now())
        order by latest.id desc limit ${MAX_RETURNED}) as latest
        where sent_at is null or bounced_at is not null) = ${MAX_RETURNED}`.execute(db)
}

/**
 * Retries a mail now and for three more days.
 * @returns false when there is nothing to send
 */
export async function sendAgain(db: Database, id: number): Promise<boolean> {
  const row = await db
    .updateTable('mails')
    .set({ due_at: sql`now()`, give_up_at: sql`now() + interval '3 days'` })
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    // A mail that is being sent has its next attempt in the future, and no error yet.
    .where((where) =>
      where.or([where('due_at', '<=', sql<Date>`now()`), where('last_error', 'is not', null)]),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Deletes old mails.
 * @returns the number of mails deleted
 */
export function sweepMails(db: Database): Promise<number> {
  return sweep(
    db,
    'mails',
    sql`written_at < now() - ${RETENTION} or (person_id is null and give_up_at < now())`,
  )
}

function secondsFromNow(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
}
