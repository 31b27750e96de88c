import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueue, isQueued } from '../../jobs/table.ts'
import { isWaiting, MAIL } from '../../mail/outbox.ts'
import { type Mailing, writeNews } from './write-news.ts'

export interface NotifierOptions extends Mailing {
  /** What comes within so many seconds is told in one mail. */
  readonly soonSeconds: number
  /** Mails are sent: none is written for somebody who has one waiting, and few ahead of the mail server. */
  readonly isSent: boolean
}

export function notifierOptions(config: Config, secret: string): NotifierOptions {
  const { baseUrl, mailSoonSeconds: soonSeconds, smtpUrl, replyAddress } = config
  return { baseUrl, secret, soonSeconds, isSent: smtpUrl !== null, replyAddress }
}

const NEWS = 'news'
/** People whose mail is written between two looks at the outbox. */
const BATCH = 20
/**
 * Mails of what is new that may wait in the outbox: what is in a mail is looked up as it is written, so it is written late. One that
 * the server refused a few times holds up nobody.
 */
const MAX_AHEAD = 60
const TRIES_THAT_COUNT = 4

/** The jobs that write mails of what is new into the outbox: one for each person, whose id is its key. */
export function newsKind(db: Database, options: NotifierOptions): Kind {
  return {
    name: NEWS,
    concurrency: 1,
    batch: 1,
    timeout: 30_000,
    plan: () => queueDuePeople(db, options),
    run: async ([job]) => {
      await writeNews(db, Number(job?.key), options)
    },
  }
}

/** Writes the mails of people whose time has come: what tests and commands call where no job does. @returns how many people */
export async function mailDue(
  db: Database,
  log: Pick<FastifyBaseLogger, 'error'>,
  options: NotifierOptions,
): Promise<number> {
  try {
    return await doJobs(db, newsKind(db, options))
  } catch (error) {
    log.error({ err: error }, 'a mail of what is new could not be written')
    return 0
  }
}

/** Adds a job for each person whose time has come. */
async function queueDuePeople(db: Database, options: NotifierOptions): Promise<void> {
  const room = options.isSent ? Math.min(BATCH, MAX_AHEAD - (await countAhead(db))) : BATCH
  const people = room <= 0 ? [] : await duePeople(db, options, room)
  for (const personId of people) await enqueue(db, NEWS, personId)
}

/** How many windows a mail waits at most while more and more comes. */
const MAX_WINDOWS = 3

/**
 * The window of a person opens with the first that is to be told and closes for all of it: so many seconds after the last, in which
 * it can be mended or taken back, and after three times as many at the latest. Uses index notifications_due.
 */
async function duePeople(db: Database, { soonSeconds, isSent }: NotifierOptions, limit: number) {
  const { rows } = await sql<{ id: number }>`
    select person_id as id from notifications as notice
    where due_at <= now()
      and not (${isSent} and exists (
        select from mails where mails.person_id = notice.person_id and mails.is_bulk and mails.sent_at is null and ${isWaiting}))
      and not ${isQueued(NEWS, sql`notice.person_id::text`)}
    group by person_id
    having max(happened_at) <= now() - make_interval(secs => ${soonSeconds})
      or min(due_at) <= now() - make_interval(secs => ${MAX_WINDOWS * soonSeconds})
    order by min(due_at), person_id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

async function countAhead(db: Database): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    select count(*)::integer as ahead from jobs
    where kind = ${MAIL} and is_bulk and give_up_at > now() and tries < ${TRIES_THAT_COUNT}`.execute(db)
  return rows[0]?.ahead ?? 0
}
