import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { sweepSignInLinks } from '../accounts/links.ts'
import { sweepMailLinks } from '../accounts/mail-links.ts'
import { sweepSessions } from '../accounts/sessions.ts'
import { sweepPostedOnce } from '../database/posted-once.ts'
import type { Database } from '../database/schema.ts'
import { sweepAll } from '../database/sweep.ts'
import { sweepTries } from '../database/tries.ts'
import { sweepMails } from '../mail/outbox.ts'
import { sweepChallenges } from '../passkeys/challenges.ts'
import { sweepViews } from '../questions/view-counter.ts'
import { indexStaleQuestions } from '../search/reindex.ts'
import { refreshOldStatistics } from '../search/statistics.ts'
import { sweepHalfSignIns } from '../second-factor/half-sign-ins.ts'
import { sweepKeptForms } from '../web/kept-forms.ts'

/** How often what has expired is removed, in milliseconds. Several processes may do it at once: deleting twice is harmless. */
const EVERY = 60 * 60_000

/** How long after the start it is done first. */
const SOON = 5000

/** How long a stop waits for it, in milliseconds. */
const PATIENCE = 4000

/** What removes some of what has expired, and says how much. */
const SWEEPS = [
  sweepSessions,
  sweepSignInLinks,
  sweepMailLinks,
  sweepHalfSignIns,
  sweepChallenges,
  sweepPostedOnce,
  sweepKeptForms,
  sweepMails,
  sweepTries,
  sweepViews,
]

const TASKS = [indexStaleQuestions, refreshOldStatistics]

/**
 * Removes what has expired, and keeps what searches go by up to date: soon after the start and every hour.
 * @returns stop: begins nothing new, and waits for what is under way, but not for long: it is done again at the next start
 */
export function startHousekeeping(db: Database, log: FastifyBaseLogger): { stop(): Promise<void> } {
  let isStopping = false
  let running: Promise<void> = Promise.resolve()
  const attempt = async (name: string, task: () => Promise<unknown>) => {
    try {
      if (!isStopping) await task()
    } catch (error) {
      log.warn({ err: error, task: name }, 'housekeeping waits for the next time')
    }
  }
  const keepHouse = () => {
    running = running.then(async () => {
      for (const sweep of SWEEPS) await attempt(sweep.name, () => sweepAll(db, sweep, () => isStopping))
      for (const task of TASKS) await attempt(task.name, () => task(db))
    })
  }
  const first = setTimeout(keepHouse, SOON)
  const timer = setInterval(keepHouse, EVERY)
  first.unref()
  timer.unref()
  return {
    stop: async () => {
      isStopping = true
      clearTimeout(first)
      clearInterval(timer)
      await Promise.race([running, sleep(PATIENCE, undefined, { ref: false })])
    },
  }
}
