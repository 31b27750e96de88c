import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
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

/** People whose mail is written between two looks at the outbox. */
const BATCH = 20
/**
 * Mails of what is new that may wait in the outbox: what is in a mail is looked up as it is written, so it is written late. One that
 * the server refused a few times holds up nobody.
 */
const MAX_AHEAD = 60
const TRIES_THAT_COUNT = 4

/**
 * Writes mails of what is new into the outbox until stopped. Several processes share the people among them. One whose mail cannot
 * be written is tried again later.
 */
export function startNotifier(
  db: Database,
  log: FastifyBaseLogger,
  options: NotifierOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const pause = Math.min(3000, Math.max(250, options.soonSeconds * 250))
  const work = async () => {
    while (!stopping.signal.aborted) {
      const written = await mailDue(db, log, options).catch((error) => {
        log.warn({ err: error }, 'mail of what is new waits for the database')
        return 0
      })
      if (written === 0) await sleep(pause, null, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  const working = work()
  return {
    stop: async () => {
      stopping.abort()
      await working
    },
  }
}

/** Writes the mails of people whose time has come. @returns how many */
export async function mailDue(
  db: Database,
  log: Pick<FastifyBaseLogger, 'error'>,
  options: NotifierOptions,
): Promise<number> {
  const room = options.isSent ? Math.min(BATCH, MAX_AHEAD - (await countAhead(db))) : BATCH
  if (room <= 0) return 0
  let written = 0
  for (const personId of await duePeople(db, options, room)) {
    try {
      if (await writeNews(db, personId, options)) written += 1
    } catch (error) {
      log.error({ err: error, personId }, 'a mail of what is new could not be written')
    }
  }
  return written
}

/** The window of a person opens with the first that is to be told, and closes for all of it. Uses index notifications_due. */
async function duePeople(db: Database, { soonSeconds, isSent }: NotifierOptions, limit: number) {
  const { rows } = await sql<{ id: number }>`
    select person_id as id from notifications as notice
    where due_at <= now() and (due_at > unmailed_since or due_at <= now() - make_interval(secs => ${soonSeconds}))
      and not (${isSent} and exists (select from mails where mails.person_id = notice.person_id and mails.is_bulk
        and mails.sent_at is null and mails.give_up_at > now()))
    group by person_id order by min(due_at), person_id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

async function countAhead(db: Database): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    select count(*)::integer as ahead from mails
    where is_bulk and sent_at is null and give_up_at > now() and tries < ${TRIES_THAT_COUNT}`.execute(db)
  return rows[0]?.ahead ?? 0
}
