import { sql } from 'kysely'
import type { Database, Language } from '../database/schema.ts'
import { sweep } from '../database/sweep.ts'

/** A mail whose turn it is. */
export interface DueMail {
  readonly id: number
  /** The same at each try. */
  readonly key: string
  readonly kind: string
  readonly recipient: string
  readonly language: Language
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly writtenAt: Date
  /** This one included. */
  readonly tries: number
}

/** Sent mails stay this long in the admin's list, and so do those that never were. Whoever has left is not kept by their farewell. */
const KEPT = sql`interval '30 days'`

/**
 * Takes mails whose turn it is. Of several processes each gets others. One that dies leaves its mails to the others after
 * `lease` seconds, which must be longer than sending takes.
 * @param takesOver whether to take those, too, that another process has begun with and said nothing of since
 */
export function claimMails(
  db: Database,
  limit: number,
  lease: number,
  takesOver: boolean,
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
          .$if(!takesOver, (query) =>
            query.where((where) => where.or([where('tries', '=', 0), where('last_error', 'is not', null)])),
          )
          .orderBy('due_at')
          .orderBy('id')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
    )
    .updateTable('mails as mail')
    .from('due')
    .whereRef('mail.id', '=', 'due.id')
    .set({ tries: sql`mail.tries + 1`, due_at: secondsFromNow(lease), last_error: null })
    .returning(['mail.id', 'mail.key', 'mail.kind', 'mail.recipient', 'mail.language', 'mail.subject'])
    .returning(['mail.text', 'mail.html', 'mail.written_at as writtenAt', 'mail.tries'])
    .execute()
}

/** The mail server has it. The words go: they may hold a link that opens an account. One of nobody's account goes as a whole. */
export async function markSent(db: Database, id: number): Promise<void> {
  const gone = await db
    .deleteFrom('mails')
    .where('id', '=', id)
    .where('person_id', 'is', null)
    .executeTakeFirst()
  if (gone.numDeletedRows > 0n) return
  await db
    .updateTable('mails')
    .set({ sent_at: sql`now()`, text: '', html: '', last_error: null })
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    .execute()
}

/** It did not go this time. @param seconds until the next try; null: there is none, it was refused for good */
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
    // Should another have taken it over meanwhile, its word counts.
    .where('tries', '=', tries)
    .where('sent_at', 'is', null)
    .execute()
}

/** Tries a mail again, now and for three more days. @returns false when there is nothing to send */
export async function sendAgain(db: Database, id: number): Promise<boolean> {
  const row = await db
    .updateTable('mails')
    .set({ due_at: sql`now()`, give_up_at: sql`now() + interval '3 days'` })
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    // One that is being sent this moment has its next try in the future, and no error yet.
    .where((where) =>
      where.or([where('due_at', '<=', sql<Date>`now()`), where('last_error', 'is not', null)]),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Removes old mails. @returns how many */
export function sweepMails(db: Database): Promise<number> {
  return sweep(db, 'mails', sql`written_at < now() - ${KEPT} or (person_id is null and give_up_at < now())`)
}

function secondsFromNow(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
}
