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
import { priorityOfNotice } from './contents.ts'
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
    const people = room <= 0 ? [] : await duePeople(db, options, priority, Math.min(BATCH, room))
    await enqueueEach(db, NEWS, people, priority)
  }
}

/** How many windows a mail waits at most while more and more comes. */
const MAX_WINDOWS = 3
const ENTRIES_OF_PERSON = 4

/**
 * The window of a person opens with the first that is to be told and closes for all of it: so many seconds after the last, in which
 * it can be mended or taken back, and after three times as many at the latest. Reads what is due the longest, however much is. Uses
 * indexes notifications_due, notifications_listed.
 */
async function duePeople(
  db: Database,
  { soonSeconds, isSent }: NotifierOptions,
  priority: 1 | 2,
  limit: number,
) {
  const { rows } = await sql<{ id: number }>`
    with due as (
      select person_id, due_at from notifications as notice
      where due_at is not null and ${priorityOfNotice} = ${sql.lit(priority)} and due_at <= now()
        and not (${isSent} and exists (
          select from mails where mails.person_id = notice.person_id and mails.is_bulk and mails.sent_at is null and ${isWaiting}))
        and not ${isQueued(NEWS, sql`notice.person_id::text`)}
        and (due_at <= now() - make_interval(secs => ${MAX_WINDOWS * soonSeconds}) or not exists (
          select from notifications as later
          where later.person_id = notice.person_id and later.due_at <= now()
            and later.happened_at > now() - make_interval(secs => ${soonSeconds})))
      order by due_at, person_id limit ${ENTRIES_OF_PERSON * limit})
    select person_id as id from due group by person_id
    order by min(due_at), person_id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

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
