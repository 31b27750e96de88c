import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { checkAdmins, checkPosts, checkSearch } from '../doctor/contents.ts'
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
}

/** The state of the forum as `handup doctor` sees it, but for what takes long or needs the command line: the counters, other clusters. */
export async function findState(db: Database, config: Config, t: Translate): Promise<StateLine[]> {
  const findings = await Promise.all([
    checkServer(db),
    checkMigrations(db),
    checkSearch(db),
    checkPosts(db),
    checkAdmins(db),
    checkMailServer(config),
    checkJobs(db, config),
    checkDisk(config.dataDir),
  ])
  return [checkAddress(config), ...findings.flat()].map((finding) => stateLine(finding, t))
}

function stateLine({ state, words: { check, says, advice } }: WordedFinding, t: Translate): StateLine {
  return {
    check: t(check),
    state,
    says: t(says.key, says.values),
    advice: advice === null ? null : t(advice.key, advice.values),
  }
}
