import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { checkAdmins, checkPosts, checkSearch } from '../doctor/contents.ts'
import { checkDisk } from '../doctor/disk.ts'
import type { Finding } from '../doctor/finding.ts'
import { checkMailServer, checkOutbox } from '../doctor/mail.ts'
import { checkMigrations, checkServer } from '../doctor/server.ts'
import { checkAddress } from '../doctor/settings.ts'

/** What is still to be done. */
export interface Waiting {
  readonly mails: number
  readonly mailsGivenUp: number
  /** Questions whose search document is behind. */
  readonly documents: number
}

/** The state of the forum as `handup doctor` sees it, but for what takes long or needs the command line: the counters, other clusters. */
export async function findState(db: Database, config: Config): Promise<Finding[]> {
  const findings = await Promise.all([
    checkServer(db),
    checkMigrations(db),
    checkSearch(db),
    checkPosts(db),
    checkAdmins(db),
    checkMailServer(config),
    checkOutbox(db, config),
    checkDisk(config.dataDir),
  ])
  return [checkAddress(config), ...findings.flat()]
}

export async function findWaiting(db: Database): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select
      (select count(*)::integer from mails where sent_at is null and give_up_at > now()) as mails,
      (select count(*)::integer from mails where sent_at is null and give_up_at <= now()) as "mailsGivenUp",
      (select count(distinct question_id)::integer from search_queue) as documents`.execute(db)
  return rows[0] ?? { mails: 0, mailsGivenUp: 0, documents: 0 }
}
