import type { FastifyBaseLogger } from 'fastify'
import { type Config, MAIL_CONNECTIONS } from '../config.ts'
import type { Database } from '../database/schema.ts'
import { together } from '../database/together.ts'
import type { Kind } from '../jobs/kind.ts'
import { writeEvent } from '../kernel/audit/note.ts'
import type { MailServer, Sender } from './mail-server.ts'
import { bulkAllowance, MAIL, markSent, stopReturning } from './outbox.ts'
import { isRefusedForGood } from './refusal.ts'
import { type MailToSend, mailsToSend, type Renewals } from './renewal.ts'

const DELIVERY_TIMEOUT_MS = 60_000
/** Mails sent after which more can be written. */
const OF_ROOM = 20

/**
 * The jobs that send mail to SMTP_URL; null: there is none, and the mails stay in the admin's list.
 * @param returnAddress where a mail of this id comes back to; null: to MAIL_FROM
 */
export async function mailKind(
  config: Config,
  db: Database,
  log: FastifyBaseLogger,
  options: Pick<SendingOptions, 'renewals' | 'onRoom'> & Pick<Sender, 'returnAddress'>,
): Promise<Kind | null> {
  const { smtpUrl, mailFrom, mailConnections, mailRate } = config
  if (smtpUrl === null) return null
  // Loaded on demand: ten megabytes of memory that a forum without mail does not need.
  const { mailServer } = await import('./mail-server.ts')
  const server = mailServer({
    ...{ url: smtpUrl, from: mailFrom, host: new URL(config.baseUrl).hostname, connections: mailConnections },
    ...(options.returnAddress !== undefined && { returnAddress: options.returnAddress }),
    onReturnRefused: (error) =>
      log.warn(
        { err: error },
        'the mail server accepts only MAIL_FROM as return address: returned email isn’t noticed',
      ),
  })
  return sendingTo(db, server, log, { ...options, rate: mailRate, connections: mailConnections })
}

interface SendingOptions {
  /** Mails of what is new a minute, by all processes together; null: no limit. */
  readonly rate?: number | null
  readonly renewals?: Renewals
  /** Of one delivery, in milliseconds. */
  readonly timeout?: number
  readonly connections?: number
  /** How long a server that takes no mail is left alone. */
  readonly pause?: typeof PAUSE
  /** More mails can be written: some have left. */
  readonly onRoom?: () => void
}

/** Sends mails. A second copy, after a crash, has the same Message-ID. */
export function sendingTo(
  db: Database,
  server: MailServer,
  log: FastifyBaseLogger,
  options: SendingOptions = {},
): Kind {
  const {
    rate = null,
    renewals = {},
    timeout = DELIVERY_TIMEOUT_MS,
    connections = MAIL_CONNECTIONS,
  } = options
  const patience = new Patience(connections, options.pause)
  let sent = 0
  // Deliveries under way at once share what they ask the database for.
  const look = together<number, MailToSend>((ids) => mailsToSend(db, ids, renewals))
  const record = together<number, string>((ids) => markSent(db, ids))
  return {
    name: MAIL,
    concurrency: connections,
    batch: 1,
    timeout,
    isHopeless: isRefusedForGood,
    capacity: () => patience.capacity(),
    ...(rate !== null && { bulkAllowance: () => bulkAllowance(db, rate) }),
    async run([job], signal) {
      const id = Number(job?.key)
      // One that cannot be written again keeps none of the others.
      const mail = await look(id).catch(async () => (await mailsToSend(db, [id], renewals)).get(id))
      if (mail === undefined) return
      if ('dropped' in mail) return writeEvent(log, 'mail-dropped', { mailId: id, kind: mail.dropped })
      try {
        await server.send(mail, signal)
        patience.worked()
      } catch (error) {
        const seconds = patience.failed(error)
        if (seconds !== null)
          log.warn({ seconds }, 'the mail server takes no email: it is left alone for a while')
        throw error
      }
    },
    async done([job]) {
      const mailId = Number(job?.key)
      const kind = await record(mailId)
      if (kind !== undefined) writeEvent(log, 'mail-sent', { mailId, kind, tries: job?.tries ?? 0 })
      sent += 1
      if (sent % OF_ROOM === 0) options.onRoom?.()
    },
    async failed({ key }, isGivenUp) {
      if (isGivenUp) await stopReturning(db, Number(key))
    },
    close: () => server.close(),
  }
}

/** Failures in a row after which a mail server is left alone. */
const MAX_FAILURES = 5
/** Deliveries that succeed before one more is tried at once. */
const GROWTH = 50

/** Milliseconds that a server is left alone, by how often it was in a row: 5 seconds to 10 minutes. */
export const PAUSE = (times: number): number =>
  1000 * Math.min(600, 5 * 2 ** (times - 1)) * (0.8 + Math.random() * 0.4)

/**
 * How many deliveries a mail server takes at once. One that takes none is left alone as a whole, and then asked with a single mail;
 * one that refuses connections gets fewer of them.
 */
export class Patience {
  private readonly max: number
  private readonly pause: typeof PAUSE
  private atOnce: number
  private failures = 0
  private pauses = 0
  private restsUntil = 0

  /** @param max MAIL_CONNECTIONS */
  constructor(max: number, pause: typeof PAUSE = PAUSE) {
    this.max = max
    this.atOnce = max
    this.pause = pause
  }

  capacity(): number {
    if (performance.now() < this.restsUntil) return 0
    return this.pauses > 0 ? 1 : Math.floor(this.atOnce)
  }

  worked(): void {
    this.failures = 0
    this.pauses = 0
    this.atOnce = Math.min(this.max, this.atOnce + 1 / GROWTH)
  }

  /** @returns the seconds that the server is left alone for, where this begins a pause; null otherwise */
  failed(error: unknown): number | null {
    // A server that refuses one mail for good works.
    if (isRefusedForGood(error)) {
      this.worked()
      return null
    }
    if (isAboutConnection(error)) this.atOnce = Math.max(1, Math.floor(this.atOnce / 2))
    this.failures += 1
    const isResting = performance.now() < this.restsUntil
    if (isResting || (this.pauses === 0 && this.failures < Math.min(MAX_FAILURES, this.max))) return null
    this.pauses += 1
    const milliseconds = this.pause(this.pauses)
    this.restsUntil = performance.now() + milliseconds
    return Math.round(milliseconds / 1000)
  }
}

/** Refused before it was about a mail, or not answered. */
function isAboutConnection(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return true
  const isAboutMail = error.code === 'EENVELOPE' || error.code === 'EMESSAGE'
  return !isAboutMail || ('responseCode' in error && error.responseCode === 421)
}
