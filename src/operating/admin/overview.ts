import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { checkAdmins, notedContents } from '../doctor/contents.ts'
import { checkDisk } from '../doctor/disk.ts'
import type { State, WordedFinding } from '../doctor/finding.ts'
import { checkJobs } from '../doctor/jobs.ts'
import { checkMailServer } from '../doctor/mail.ts'
import { checkMigrations, checkServer } from '../doctor/server.ts'
import { checkAddress } from '../doctor/settings.ts'

/** One line of the forum's state: views/admin/index.eta. */
export interface StateLine {
  readonly check: string
  readonly state: State
  readonly says: string
  readonly advice: string | null
  /** When it was found; null: just now. */
  readonly checked: Moment | null
}

/**
 * The state of the forum as `handup doctor` sees it, but for what takes long or needs the command line: the counters, other clusters.
 * What grows with the forum is as it was found last.
 * @param timeZone the reader's
 */
export async function findState(
  db: Database,
  config: Config,
  t: Translate,
  timeZone: string,
): Promise<StateLine[]> {
  const [noted, ...findings] = await Promise.all([
    notedContents(db),
    checkServer(db),
    checkMigrations(db),
    checkAdmins(db),
    checkMailServer(config),
    checkJobs(db, config),
    checkDisk(config.dataDir),
  ])
  return [
    ...[checkAddress(config), ...findings.flat()].map((finding) => stateLine(finding, t)),
    ...noted.map(({ finding, checkedAt }) =>
      stateLine(finding, t, checkedAt === null ? null : writtenMoment(checkedAt, timeZone, t)),
    ),
  ]
}

function stateLine(
  { state, words: { check, says, advice } }: WordedFinding,
  t: Translate,
  checked: Moment | null = null,
): StateLine {
  return {
    check: t(check),
    state,
    says: t(says.key, says.values),
    advice: advice === null ? null : t(advice.key, advice.values),
    checked,
  }
}
