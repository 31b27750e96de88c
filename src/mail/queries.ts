import { sql } from 'kysely'
import { type Page, type PageRequest, pageAlong, pageOf } from '../database/keyset.ts'
import type { Database, Language } from '../database/schema.ts'

export const MAILS_PER_PAGE = 30

export type MailState = 'sent' | 'waiting' | 'givenUp'

export interface ListedMail {
  readonly id: number
  readonly recipient: string
  readonly subject: string
  readonly language: Language
  /** '' once sent. */
  readonly text: string
  readonly writtenAt: Date
  readonly state: MailState
  readonly tries: number
  /** The error of the last attempt, from the mail server or the network; null: no attempt, or it succeeded. */
  readonly lastError: string | null
}

/** One page of all mails, newest first. Uses index mails_written. */
export async function listMails(db: Database, request: PageRequest): Promise<Page<ListedMail>> {
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
      sql<MailState>`case when mail.sent_at is not null then 'sent'
        when job.give_up_at > now() then 'waiting' else 'givenUp' end`.as('state'),
    )
    .where(page.beyond)
    .orderBy(page.order)
    .limit(MAILS_PER_PAGE + 1)
    .execute()
  return pageOf(rows, MAILS_PER_PAGE, request)
}
