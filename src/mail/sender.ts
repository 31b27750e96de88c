import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { writeEvent } from '../audit-log/note.ts'
import type { Database } from '../database/schema.ts'
import type { MailServer } from './mail-server.ts'
import { bulkAllowance, claimMails, type DueMail, markFailed, markSent, stopReturning } from './outbox.ts'
import { isRefusedForGood } from './refusal.ts'

/** In milliseconds, except for `lease` and the result of `backOff`, in seconds. */
export interface Timing {
  /** Poll interval of an outbox with nothing to send. */
  readonly pause: number
  /** Timeout of one delivery. */
  readonly deliveryTimeout: number
  /** After this another process may send a mail that one has claimed: longer than `deliveryTimeout`. */
  readonly lease: number
  /** Delay before the next attempt, by the number of attempts. */
  readonly backOff: (tries: number) => number
  /**
   * How long the database must have been available before expired leases are taken over: a process that sent a mail,
   * but could not record it while the database was unavailable, does so first.
   */
  readonly takeoverDelay: number
  /** How long a stop waits for deliveries in progress. */
  readonly stopTimeout: number
}

/** After an outage of an hour everything is sent within ten minutes, and the server was not flooded before. */
const TIMING: Timing = {
  pause: 2000,
  deliveryTimeout: 60_000,
  lease: 120,
  backOff: (tries) => Math.min(600, 5 * 2 ** (tries - 1)) * (0.8 + Math.random() * 0.4),
  takeoverDelay: 10_000,
  stopTimeout: 4000,
}

/** Maximum concurrent deliveries. */
const MAX_CONCURRENT = 4

/** Between two tries to note that a mail was sent, in milliseconds. */
const RECORD_RETRY_MS = 500

/**
 * Sends the outbox until stopped. Each mail is delivered at least once. An accepted mail is not sent again, unless this
 * process dies before it has recorded that, or it alone loses the database for longer than the lease: then the second
 * copy has the same Message-ID.
 *
 * The outbox is its own queue (`for update skip locked`). graphile-worker keeps the jobs of a killed process locked for
 * four hours, while a link to a new password expires much sooner, and its back-off grows to six hours.
 * @param rate mails of what is new a minute, by all processes together; null: no limit
 * @returns stop: waits briefly for deliveries in progress, then disconnects; the next process retries the rest
 */
export function startSender(
  db: Database,
  server: MailServer,
  log: FastifyBaseLogger,
  timing: Timing = TIMING,
  rate: number | null = null,
): { stop(): Promise<void> } {
  const [stopping, quitting] = [new AbortController(), new AbortController()]
  /** Since when the database has answered without a failure; null: it is unavailable. */
  let answersSince: number | null = null
  const sendDue = async (): Promise<number> => {
    const takesOver = answersSince !== null && performance.now() - answersSince >= timing.takeoverDelay
    const allowed = rate === null ? MAX_CONCURRENT : await bulkAllowance(db, rate)
    const mails = await claimMails(db, MAX_CONCURRENT, timing.lease, takesOver, allowed)
    answersSince ??= performance.now()
    const outcomes = await Promise.all(mails.map((mail) => sendMail(mail)))
    return outcomes.filter((isSent) => isSent).length
  }
  const onDatabaseFailure = () => {
    answersSince = null
  }
  const recorder = { db, log, quitting: quitting.signal, onDatabaseFailure }
  const sendMail = async (mail: DueMail): Promise<boolean> => {
    try {
      await server.send(mail, AbortSignal.any([quitting.signal, AbortSignal.timeout(timing.deliveryTimeout)]))
    } catch (error) {
      await recordFailure(recorder, mail, error, quitting.signal.aborted ? 0 : timing.backOff(mail.tries))
      return false
    }
    await recordSent(recorder, mail)
    return true
  }
  const work = async () => {
    while (!stopping.signal.aborted) {
      const sent = await sendDue().catch((error) => {
        onDatabaseFailure()
        log.warn({ err: error }, 'mail waits for the database')
        return 0
      })
      if (sent === 0) await sleep(timing.pause, null, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  const working = work()
  return {
    stop: async () => {
      stopping.abort()
      const timeout = setTimeout(() => quitting.abort(), timing.stopTimeout)
      await working
      clearTimeout(timeout)
    },
  }
}

/** Where outcomes are recorded. */
interface Recorder {
  readonly db: Database
  readonly log: FastifyBaseLogger
  /** The process is exiting: further retries are pointless. */
  readonly quitting: AbortSignal
  /** The database is unavailable. */
  onDatabaseFailure(): void
}

/** Retries until the outcome is recorded: a mail that was sent must not be sent again after a database outage. */
async function recordSent({ db, log, quitting, onDatabaseFailure }: Recorder, mail: DueMail): Promise<void> {
  for (;;) {
    try {
      await markSent(db, mail.id)
      writeEvent(log, 'mail-sent', { mailId: mail.id, kind: mail.kind, tries: mail.tries })
      return
    } catch (error) {
      onDatabaseFailure()
      if (quitting.aborted) {
        log.error(
          { err: error, mailId: mail.id },
          'a mail was sent, but that could not be recorded: it may be sent twice',
        )
        return
      }
      await sleep(RECORD_RETRY_MS)
    }
  }
}

/** If the database is unavailable too, the lease expires and the mail is retried. */
async function recordFailure(
  { db, log, onDatabaseFailure }: Recorder,
  mail: DueMail,
  error: unknown,
  seconds: number,
) {
  const reason = error instanceof Error ? error.message : String(error)
  const next = isRefusedForGood(error) ? null : seconds
  writeEvent(log, 'mail-failed', {
    mailId: mail.id,
    kind: mail.kind,
    tries: mail.tries,
    // Mail servers repeat the recipient in their messages.
    reason: reason.slice(0, 500).replace(/\S+@\S+/g, '…@…'),
    isGivenUp: next === null,
  })
  const record = async () => {
    await markFailed(db, mail, reason, next)
    if (next === null) await stopReturning(db, mail.id)
  }
  await record().catch((failure) => {
    onDatabaseFailure()
    log.warn({ err: failure }, 'a failed delivery could not be recorded')
  })
}
