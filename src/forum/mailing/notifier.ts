import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { idsOf, type Kind } from '../../jobs/kind.ts'
import { enqueueEach, isQueued } from '../../jobs/table.ts'
import { isWaiting, MAIL } from '../../mail/outbox.ts'
import type { Renewals } from '../../mail/renewal.ts'
import { INVITATION, renewInvitation } from '../members/invitation-mail.ts'
import { peopleDue } from '../telling/deliveries.ts'
import { renewWeek, WEEK } from './staff-week.ts'
import { type Mailing, NEWS_MAIL, renewNews, writeNews } from './write-news.ts'

export interface NotifierOptions extends Mailing {
  /** What comes within so many seconds is told in one mail. */
  readonly soonSeconds: number
  /** Mails are sent: none is written for a person who has one waiting, and few ahead of the mail server. */
  readonly isSent: boolean
}

export function notifierOptions(config: Config, secret: string): NotifierOptions {
  const { baseUrl, mailSoonSeconds: soonSeconds, smtpUrl, replyAddress } = config
  return { baseUrl, secret, soonSeconds, isSent: smtpUrl !== null, replyAddress }
}

export const NEWS = 'news'
/** People whose mail is written together, between two looks at the outbox. */
const BATCH = 50
/**
 * Mails of what is new, of each priority, that may be ahead of the mail server: what is in a mail is looked up as it is written, so it
 * is written late. One that the server refused a few times holds up nobody.
 */
const MAX_AHEAD = 100
const TRIES_THAT_COUNT = 4

/** The jobs that write mails of what is new into the outbox: one for each person, whose id is its key. */
export function newsKind(db: Database, options: NotifierOptions): Kind {
  return {
    name: NEWS,
    concurrency: 1,
    batch: BATCH,
    timeout: 60_000,
    plan: () => queueDuePeople(db, options),
    run: (jobs) => writeNews(db, idsOf(jobs), options),
  }
}

/** Writes the mails of people whose time has come: what tests and commands call where no job does. @returns how many people */
export async function mailDue(db: Database, log: Pick<FastifyBaseLogger, 'error'>, options: NotifierOptions) {
  try {
    return await doJobs(db, newsKind(db, options))
  } catch (error) {
    log.error({ err: error }, 'a mail of what is new could not be written')
    return 0
  }
}

async function queueDuePeople(db: Database, options: NotifierOptions): Promise<void> {
  const ahead = options.isSent ? await countAhead(db) : []
  for (const priority of [1, 2] as const) {
    const room = MAX_AHEAD - (ahead.find((one) => one.priority === priority)?.count ?? 0)
    const { soonSeconds, isSent } = options
    const limit = Math.min(BATCH, room)
    const people = room <= 0 ? [] : await peopleDue(db, 'email', priority, soonSeconds, limit, isFree(isSent))
    await enqueueEach(db, NEWS, people, priority)
  }
}

/** Nobody's mail is being written, nor waits for the mail server. Alias `closing`, a window. */
const isFree = (isSent: boolean) => sql<boolean>`not ${isQueued(NEWS, sql`closing.person_id::text`)}
  and not (${isSent} and exists (
    select from mails where mails.person_id = closing.person_id and mails.is_bulk and mails.sent_at is null and ${isWaiting}))`

/** Mails that are ahead of the mail server, and those being written, by priority. */
async function countAhead(db: Database): Promise<{ priority: number; count: number }[]> {
  const { rows } = await sql<{ priority: number; count: number }>`
    select priority, count(*)::integer as count from jobs
    where kind in (${MAIL}, ${NEWS}) and priority > 0 and give_up_at > now() and tries < ${TRIES_THAT_COUNT}
    group by priority`.execute(db)
  return rows
}

export function mailRenewals(mailing: Mailing): Renewals {
  return { [NEWS_MAIL]: renewNews(mailing), [WEEK]: renewWeek(mailing), [INVITATION]: renewInvitation }
}
