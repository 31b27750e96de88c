import type { FastifyBaseLogger } from 'fastify'
import { sweepSignInLinks } from '../accounts/links.ts'
import { sweepSessions } from '../accounts/sessions.ts'
import { sweepPostedOnce } from '../database/posted-once.ts'
import type { Database } from '../database/schema.ts'
import { sweepViews } from '../questions/view-counter.ts'
import { sweepKeptForms } from '../web/kept-forms.ts'

/** How often what has expired is removed, in milliseconds. Several processes may do it at once: deleting twice is harmless. */
const EVERY = 60 * 60_000

const SWEEPS = [sweepSessions, sweepSignInLinks, sweepPostedOnce, sweepKeptForms, sweepViews]

/** Removes what has expired, every hour. */
export function startHousekeeping(db: Database, log: FastifyBaseLogger): { stop(): void } {
  const sweep = async () => {
    try {
      for (const remove of SWEEPS) await remove(db)
    } catch (error) {
      log.warn({ err: error }, 'housekeeping waits for the next time')
    }
  }
  const timer = setInterval(sweep, EVERY)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
