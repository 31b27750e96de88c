import type { FastifyBaseLogger } from 'fastify'
import { writeEvent } from '../audit-log/note.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/schema.ts'
import type { Kind } from '../jobs/kind.ts'
import type { MailServer } from './mail-server.ts'
import { bulkAllowance, MAIL, markSent, stopReturning } from './outbox.ts'
import { isRefusedForGood } from './refusal.ts'
import { mailToSend, type Renewals } from './renewal.ts'

/** Maximum concurrent deliveries of a process. */
const MAX_CONCURRENT = 4
/** Timeout of one delivery. */
const DELIVERY_TIMEOUT_MS = 60_000

/** The jobs that send mail to SMTP_URL; null: there is none, and the mails stay in the admin's list. */
export async function mailKind(
  config: Config,
  db: Database,
  log: FastifyBaseLogger,
  renewals: Renewals,
): Promise<Kind | null> {
  if (config.smtpUrl === null) return null
  // Loaded on demand: ten megabytes of memory that a forum without mail does not need.
  const { mailServer } = await import('./mail-server.ts')
  const host = new URL(config.baseUrl).hostname
  const server = mailServer({ url: config.smtpUrl, from: config.mailFrom, host })
  return sendingTo(db, server, log, { rate: config.mailRate, renewals })
}

export interface SendingOptions {
  /** Mails of what is new a minute, by all processes together; null: no limit. */
  readonly rate?: number | null
  readonly renewals?: Renewals
  /** Of one delivery, in milliseconds. */
  readonly timeout?: number
}

/** Sends mails. A second copy, after a crash, has the same Message-ID. */
export function sendingTo(
  db: Database,
  server: MailServer,
  log: FastifyBaseLogger,
  { rate = null, renewals = {}, timeout = DELIVERY_TIMEOUT_MS }: SendingOptions = {},
): Kind {
  return {
    name: MAIL,
    concurrency: MAX_CONCURRENT,
    batch: 1,
    timeout,
    isHopeless: isRefusedForGood,
    ...(rate !== null && { bulkAllowance: () => bulkAllowance(db, rate) }),
    async run([job], signal) {
      const mail = await mailToSend(db, Number(job?.key), renewals)
      if (mail === 'gone') return
      if ('dropped' in mail) writeEvent(log, 'mail-dropped', { mailId: Number(job?.key), kind: mail.dropped })
      else await server.send(mail, signal)
    },
    async done([job]) {
      const kind = await markSent(db, Number(job?.key))
      if (kind !== null)
        writeEvent(log, 'mail-sent', { mailId: Number(job?.key), kind, tries: job?.tries ?? 0 })
    },
    async failed({ key }, isGivenUp) {
      if (isGivenUp) await stopReturning(db, Number(key))
    },
  }
}
