import { backupDuringWrites } from './backup-during-writes.ts'
import { clockJumps } from './clock-jumps.ts'
import { idleConnections, slowClients } from './clumsy-clients.ts'
import { damagedBackup } from './damaged-backup.ts'
import { connectionsCut, databaseKilled, databaseStopped } from './database-outages.ts'
import { deafInstance } from './deaf-instance.ts'
import { diskFull } from './disk-full.ts'
import { editedAtOnce } from './edited-at-once.ts'
import type { Fault } from './fault.ts'
import { killedDeparture } from './killed-departure.ts'
import { killedRestore } from './killed-restore.ts'
import { killedWhilePosting } from './killed-while-posting.ts'
import { lostPictures } from './lost-pictures.ts'
import { mailAway } from './mail-away.ts'
import { migrationUnderTraffic } from './migration-under-traffic.ts'
import { oversized } from './oversized.ts'
import { poolBusy } from './pool-busy.ts'
import { rollingRestart } from './rolling-restart.ts'
import { sentFiftyTimes } from './sent-fifty-times.ts'
import { stoppedUnderLoad } from './stopped-under-load.ts'
import { votesBackAndForth } from './votes-back-and-forth.ts'

/** All faults that Handup must survive, in the order of the report. */
export const FAULTS: readonly Fault[] = [
  killedWhilePosting,
  databaseStopped,
  databaseKilled,
  connectionsCut,
  poolBusy,
  stoppedUnderLoad,
  rollingRestart,
  sentFiftyTimes,
  votesBackAndForth,
  editedAtOnce,
  deafInstance,
  slowClients,
  idleConnections,
  oversized,
  diskFull,
  mailAway,
  migrationUnderTraffic,
  backupDuringWrites,
  damagedBackup,
  lostPictures,
  killedRestore,
  killedDeparture,
  clockJumps,
]
