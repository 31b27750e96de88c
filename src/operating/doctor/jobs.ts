import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { countJobs } from '../../jobs/table.ts'
import { MAIL } from '../../mail/outbox.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Jobs that wait longer than this, in seconds, are late. */
const LATE_SECONDS = 900

/** Checks for jobs that failed or are late. Without a mail server mails wait for nobody. */
export async function checkJobs(db: Database, { smtpUrl }: Config): Promise<Finding> {
  const kinds = await countJobs(db)
  const says =
    kinds
      .filter(({ waiting, givenUp }) => waiting + givenUp > 0)
      .map(({ kind, waiting, failing, givenUp, oldest }) => {
        const minutes = Math.round(oldest / 60)
        return `${kind}: ${waiting} waiting (${failing} failing, the oldest for ${minutes} min), ${givenUp} given up`
      })
      .join('; ') || 'none waiting'
  const isFine = kinds
    .filter(({ kind }) => kind !== MAIL || smtpUrl !== null)
    .every(({ givenUp, oldest }) => givenUp === 0 && oldest < LATE_SECONDS)
  return isFine
    ? ok('jobs', says)
    : warning('jobs', says, 'open /admin as an admin to see why and try them again')
}
