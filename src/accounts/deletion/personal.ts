import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { endKeys } from '../sessions/endings.ts'

/**
 * Tables whose rows of a person go with the account, besides what lets them in (sessions/endings.ts). What refers to people by a cascade goes
 * by hand: the row itself stays.
 */
const PERSONAL = [
  // After sessions, whose end it remembers.
  'ended_sessions',
  'kept_forms',
  'drafts',
  'linked_accounts',
  'second_factors',
  'passkey_holders',
  'recovery_codes',
  'desk_claims',
  'course_members',
  'notifications',
  'question_reads',
  // After question_reads, which are folded into it.
  'course_reads',
  'staff_weeks',
  'question_follows',
  'course_follows',
  'lecture_follows',
  'tag_follows',
  'posted_once',
  'idempotency_keys',
  'imported_people',
] as const

/** Removes what is a person's alone, with what emails had beside their posts. Pictures that a post shows stay with it, nobody's. */
export async function forgetPersonal(write: Write, personId: number): Promise<void> {
  await endKeys(write, 'leaving', { personId })
  for (const table of PERSONAL) await write.deleteFrom(table).where('person_id', '=', personId).execute()
  await sql`delete from left_out_texts where answer_id in (select id from answers where author_id = ${personId})
    or reply_id in (select id from replies where author_id = ${personId})`.execute(write)
  await write.updateTable('images').set({ uploader_id: null }).where('uploader_id', '=', personId).execute()
}

/**
 * Removes an account's mails, and why any of them could not be sent: servers answer with the address. Farewells of accounts that
 * claimed the same address stay until they are sent: they are counted.
 */
export async function forgetMails(write: Write, personId: number): Promise<void> {
  await sql`
    with gone as (delete from mails where person_id = ${personId} returning id)
    delete from jobs using gone where jobs.kind = 'mail' and jobs.key = gone.id::text`.execute(write)
}
