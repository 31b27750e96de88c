import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/schema.ts'
import { writeEvent } from '../events/note.ts'
import type { MailServer } from './mail-server.ts'
import { claimMails, type DueMail, markFailed, markSent } from './outbox.ts'
import { isRefusedForGood } from './refusal.ts'

/** Milliseconds, but for `lease` and what `backOff` gives: seconds. */
export interface Timing {
  /** Between two looks at an outbox with nothing to send. */
  readonly pause: number
  /** How long sending one mail may take. */
  readonly patience: number
  /** After that another process may send a mail that one had begun with: longer than `patience`. */
  readonly lease: number
  /** Until the next try, after so many. */
  readonly backOff: (tries: number) => number
  /**
   * How long the database must have answered before a mail is taken over that another process had begun with: who has sent
   * it, and could not note that while the database was away, does so first.
   */
  readonly grace: number
  /** How long a stop waits for mails under way. */
  readonly farewell: number
}

/** A server that was away for an hour gets everything within ten minutes of its return, and is not rushed before. */
const TIMING: Timing = {
  pause: 2000,
  patience: 60_000,
  lease: 120,
  backOff: (tries) => Math.min(600, 5 * 2 ** (tries - 1)) * (0.8 + Math.random() * 0.4),
  grace: 10_000,
  farewell: 4000,
}

/** Mails under way at once. */
const AT_ONCE = 4

/** Between two tries to note that a mail was sent, in milliseconds. */
const NOTING = 500

/**
 * Sends what is in the outbox until stopped. Each mail goes at least once; once the server has acknowledged it, not again,
 * unless this process dies before it has noted that, or it alone is cut off from the database for longer than the lease: then a
 * second copy has the same Message-ID.
 *
 * The outbox is its own queue (`for update skip locked`). graphile-worker keeps the jobs of a killed process locked for four
 * hours, in which a link to a new password has died three times over, and its back-off grows to six hours.
 * @returns stop: waits a little for mails under way, then hangs up; what did not go is tried by the next process
 */
export function startSender(
  db: Database,
  server: MailServer,
  log: FastifyBaseLogger,
  timing: Timing = TIMING,
): { stop(): Promise<void> } {
  const [stopping, hanging] = [new AbortController(), new AbortController()]
  /** Since when the database answers without a failure between; null: it does not. */
  let answersSince: number | null = null
  const sendDue = async (): Promise<number> => {
    const takesOver = answersSince !== null && performance.now() - answersSince >= timing.grace
    const mails = await claimMails(db, AT_ONCE, timing.lease, takesOver)
    answersSince ??= performance.now()
    const outcomes = await Promise.all(mails.map((mail) => sendMail(mail)))
    return outcomes.filter((isSent) => isSent).length
  }
  const isAway = () => {
    answersSince = null
  }
  const desk = { db, log, hanging: hanging.signal, isAway }
  const sendMail = async (mail: DueMail): Promise<boolean> => {
    try {
      await server.send(mail, AbortSignal.any([hanging.signal, AbortSignal.timeout(timing.patience)]))
    } catch (error) {
      await noteFailure(desk, mail, error, hanging.signal.aborted ? 0 : timing.backOff(mail.tries))
      return false
    }
    await noteSent(desk, mail)
    return true
  }
  const work = async () => {
    while (!stopping.signal.aborted) {
      const sent = await sendDue().catch((error) => {
        isAway()
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
      const impatience = setTimeout(() => hanging.abort(), timing.farewell)
      await working
      clearTimeout(impatience)
    },
  }
}

/** Where outcomes are noted. */
interface Desk {
  readonly db: Database
  readonly log: FastifyBaseLogger
  /** The process ends: nobody waits for the database any more. */
  readonly hanging: AbortSignal
  /** The database did not answer. */
  isAway(): void
}

/** Sent is sent: should the database be away this moment, it is told as soon as it is back. */
async function noteSent({ db, log, hanging, isAway }: Desk, mail: DueMail): Promise<void> {
  for (;;) {
    try {
      await markSent(db, mail.id)
      writeEvent(log, 'mail-sent', { mailId: mail.id, kind: mail.kind, tries: mail.tries })
      return
    } catch (error) {
      isAway()
      if (hanging.aborted) {
        log.error({ err: error, mailId: mail.id }, 'a mail was sent and could not be noted: it may go twice')
        return
      }
      await sleep(NOTING)
    }
  }
}

/** Should the database be away as well, the lease ends by itself and the mail is tried again. */
async function noteFailure({ db, log, isAway }: Desk, mail: DueMail, error: unknown, seconds: number) {
  const reason = error instanceof Error ? error.message : String(error)
  const next = isRefusedForGood(error) ? null : seconds
  writeEvent(log, 'mail-failed', {
    mailId: mail.id,
    kind: mail.kind,
    tries: mail.tries,
    // Mail servers repeat whom a mail was for.
    reason: reason.slice(0, 500).replace(/\S+@\S+/g, '…@…'),
    isGivenUp: next === null,
  })
  await markFailed(db, mail, reason, next).catch((failure) => {
    isAway()
    log.warn({ err: failure }, 'mail waits')
  })
}
