import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const MEGABYTE = 2 ** 20

/** What an external server sends elsewhere. */
export interface Replication {
  readonly isArchiving: boolean
  /** The last attempt to archive failed. */
  readonly isArchivingBroken: boolean
  readonly standbys: number
  /** Seconds that the last standby is behind; null: none is connected, or this role may not know. */
  readonly lag: number | null
  /** Replication slots that nothing reads from. */
  readonly idleSlots: readonly string[]
  /** Bytes of the log that the server keeps for these. */
  readonly keptForSlots: number
}

/** A standby that is so many seconds behind is no standby. */
const MAX_LAG = 300

/** Checks whether what is written reaches another machine: continuous archiving, standbys, and slots that fill the disk. */
export async function checkReplication(db: Database): Promise<Finding[]> {
  const { rows } = await sql<Replication>`
    select current_setting('archive_mode') <> 'off' as "isArchiving",
      coalesce((select last_failed_time > coalesce(last_archived_time, '-infinity') from pg_stat_archiver), false)
        as "isArchivingBroken",
      (select count(*) from pg_stat_replication)::integer as standbys,
      (select max(extract(epoch from replay_lag)) from pg_stat_replication)::float8 as lag,
      coalesce((select array_agg(slot_name::text order by slot_name) from pg_replication_slots where not active), '{}') as "idleSlots",
      coalesce((select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) from pg_replication_slots where not active), 0)::float8
        as "keptForSlots"`.execute(db)
  return rows.flatMap(replicationFindings)
}

export function replicationFindings(found: Replication): Finding[] {
  const { isArchiving, isArchivingBroken, lag, idleSlots, keptForSlots } = found
  const findings: (Finding | false)[] = [
    isArchiving &&
      isArchivingBroken &&
      problem(
        'replication',
        'archive_command fails: nothing is archived, and the log fills the disk',
        'read PostgreSQL’s log, and correct archive_command or its target',
      ),
    idleSlots.length > 0 &&
      warning(
        'replication',
        `nothing reads from the replication slots ${idleSlots.join(', ')}: the server keeps ${Math.round(keptForSlots / MEGABYTE)} MB of log for them`,
        'start that standby, or pg_drop_replication_slot(…)',
      ),
    lag !== null &&
      lag > MAX_LAG &&
      warning(
        'replication',
        `a standby is ${Math.round(lag / 60)} min behind`,
        'check its disk and network: promoted now, it would lack what was written since',
      ),
  ]
  const wrong = findings.filter((finding) => finding !== false)
  return wrong.length > 0 ? wrong : [ok('replication', saysOf(found))]
}

function saysOf({ isArchiving, standbys, lag }: Replication): string {
  if (!isArchiving && standbys === 0)
    return 'none that PostgreSQL knows of: if its disk fails, everything since the last backup is lost'
  const parts = [
    ...(standbys > 0 ? [`${standbys} standby${standbys === 1 ? '' : 's'}`] : []),
    ...(lag === null ? [] : [`${Math.round(lag)} s behind`]),
    ...(isArchiving ? ['continuous archiving'] : []),
  ]
  return parts.join(', ')
}
