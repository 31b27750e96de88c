import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { countJobs, type Waiting } from '../../jobs/table.ts'
import { MAIL } from '../../mail/outbox.ts'
import { type WordedFinding, worded } from './finding.ts'

/** Jobs that wait longer than this, in seconds, are late. */
const LATE_SECONDS = 900

/** Checks for jobs that failed or are late, and says more of each kind in English. Without a mail server emails aren't late. */
export async function checkJobs(db: Database, { smtpUrl }: Config): Promise<WordedFinding> {
  const kinds = await countJobs(db)
  const says = kinds
    .filter(({ waiting, givenUp }) => waiting + givenUp > 0)
    .map(({ kind, waiting, failing, givenUp, oldest }) => {
      const minutes = Math.round(oldest / 60)
      return `${kind}: ${waiting} waiting (${failing} failing, the oldest for ${minutes} min), ${givenUp} given up`
    })
    .join('; ')
  const isFine = kinds
    .filter(({ kind }) => kind !== MAIL || smtpUrl !== null)
    .every(({ givenUp, oldest }) => givenUp === 0 && oldest < LATE_SECONDS)
  const sum = (of: (kind: Waiting) => number) => kinds.reduce((all, kind) => all + of(kind), 0)
  const values = { waiting: sum(({ waiting }) => waiting), givenUp: sum(({ givenUp }) => givenUp) }
  if (says === '') return worded('ok', 'jobs', 'none')
  return {
    ...(isFine ? worded('ok', 'jobs', 'some', values) : worded('warning', 'jobs', 'late', values)),
    says,
  }
}
