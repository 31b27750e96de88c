import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { finishMerges } from '../../accounts/deletion/leave.ts'
import { sweepUnconfirmed } from '../../accounts/identity/unconfirmed.ts'
import { sweepChallenges } from '../../accounts/passkeys/webauthn.ts'
import { sweepLogoutTokens } from '../../accounts/providers/logout.ts'
import type { Database } from '../../database/schema.ts'
import { everyTable } from '../../database/table.ts'
import { sweepAll, sweepTable } from '../../database/terms.ts'
import { sweepTries } from '../../database/tries.ts'
import { sweepIncomingMails } from '../../forum/answering-by-mail/keys.ts'
import { sweepCases } from '../../forum/cases/retention.ts'
import { sweepTagChanges } from '../../forum/course-settings/renaming.ts'
import { sweepEvents } from '../../forum/events/event.ts'
import { countOlderPosts } from '../../forum/people/queries.ts'
import { sweepPictures } from '../../forum/pictures/commands.ts'
import type { FileStore } from '../../forum/pictures/store.ts'
import { renderStalePosts } from '../../forum/posts/rerendering.ts'
import { purgeDeletedCourses } from '../../forum/purging/course-deletion.ts'
import { sweepViews } from '../../forum/reading/view-counter.ts'
import { indexStaleQuestions } from '../../forum/search/index-question.ts'
import { sweepOpenings } from '../../forum/search/learning/signals.ts'
import { refreshOldStatistics, refreshYoungStatistics } from '../../forum/search/statistics.ts'
import { foldOldReads } from '../../forum/telling/opened-courses.ts'
import { sweepJobs } from '../../jobs/table.ts'
import { sweepAudit } from '../../kernel/audit/note.ts'
import { sweepPendingRoles } from '../../kernel/rights/pending-roles.ts'
import { sweepMails } from '../../mail/outbox.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { noteContents } from '../doctor/contents.ts'
import { sweepImportRuns } from '../exchange/import-run.ts'
import type { Running } from '../running.ts'
import { sweepTransfers } from '../transfer/sweep.ts'
import { noteSecret } from './secret.ts'

/** Several processes may run the tasks at once: each is idempotent. */
const INTERVAL_MS = 60 * 60_000
const YOUNG_INTERVAL_MS = 60_000

/** Delay of the first run after the start, when everybody comes at once with nothing cached. */
const FIRST_DELAY_MS = 60_000

/** How long a stop waits for a running task. */
const STOP_TIMEOUT_MS = 4000

/** Deletes expired rows. @returns how many */
type Sweep = (db: Database, log?: FastifyBaseLogger) => Promise<number>

const SWEEPS: readonly Sweep[] = [
  sweepChallenges,
  sweepLogoutTokens,
  sweepCases,
  sweepMails,
  sweepJobs,
  sweepIncomingMails,
  sweepEvents,
  sweepTries,
  sweepViews,
  foldOldReads,
  sweepOpenings,
  sweepPendingRoles,
  sweepTagChanges,
  sweepImportRuns,
  finishMerges,
  // After sessions: who is signed in nowhere.
  sweepUnconfirmed,
  sweepAudit,
]

/** All sweeps by their names: first of what tables declare, then of what takes more than a condition. */
export function sweeps(): readonly (readonly [name: string, Sweep])[] {
  const ofTables = everyTable().filter(({ expired }) => expired !== undefined)
  return [
    ...ofTables.map((table): [string, Sweep] => [table.name, (db) => sweepTable(db, table)]),
    ...SWEEPS.map((sweep): [string, Sweep] => [sweep.name, sweep]),
  ]
}

const indexSearch = (db: Database) => indexStaleQuestions(db)

const TASKS: readonly ((db: Database, isStopping: () => boolean) => Promise<unknown>)[] = [
  purgeDeletedCourses,
  indexSearch,
  refreshOldStatistics,
  countOlderPosts,
  // After an upgrade it takes the longest.
  renderStalePosts,
  noteContents,
]

/**
 * Deletes expired rows and refreshes search data: soon after the start, then every hour; words of a young forum every minute.
 * @returns stop: starts no further task, and waits briefly for the current one, which the next start repeats
 */
export function startHousekeeping(
  db: Database,
  log: FastifyBaseLogger,
  keys: SecretKeys,
  pictures: FileStore,
): Running {
  let isStopping = false
  let running: Promise<void> = Promise.resolve()
  const attempt = async (name: string, task: () => Promise<unknown>) => {
    try {
      if (!isStopping) await task()
    } catch (error) {
      log.warn({ err: error, task: name }, 'a housekeeping task failed and is retried in the next run')
    }
  }
  const keepHouse = () => {
    running = running.then(async () => {
      const stops = () => isStopping
      for (const [name, sweep] of sweeps())
        await attempt(name, () => sweepAll(db, (some) => sweep(some, log), stops))
      await attempt('sweepPictures', () => sweepPictures(db, pictures, stops))
      await attempt('sweepTransfers', () => sweepTransfers(db, pictures))
      for (const task of TASKS) await attempt(task.name, () => task(db, stops))
      await attempt('secret', async () => {
        const otherSecret = await noteSecret(db, keys)
        if (otherSecret !== null) log.warn(otherSecret)
      })
    })
  }
  const countYoung = () => {
    running = running.then(() => attempt('refreshYoungStatistics', () => refreshYoungStatistics(db)))
  }
  const timers = [
    setTimeout(keepHouse, FIRST_DELAY_MS),
    setInterval(keepHouse, INTERVAL_MS),
    setInterval(countYoung, YOUNG_INTERVAL_MS),
  ]
  for (const timer of timers) timer.unref()
  return {
    stop: async () => {
      isStopping = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.race([running, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}
