import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { checkAdmins, checkPosts, checkSearch } from '../doctor/contents.ts'
import { checkDisk } from '../doctor/disk.ts'
import type { Finding } from '../doctor/finding.ts'
import { checkJobs } from '../doctor/jobs.ts'
import { checkMailServer } from '../doctor/mail.ts'
import { checkMigrations, checkServer } from '../doctor/server.ts'
import { checkAddress } from '../doctor/settings.ts'

/** The state of the forum as `handup doctor` sees it, but for what takes long or needs the command line: the counters, other clusters. */
export async function findState(db: Database, config: Config): Promise<Finding[]> {
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
  return [checkAddress(config), ...findings.flat()]
}
