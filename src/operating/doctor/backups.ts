import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { durationText } from '../../text/dates.ts'
import { type KeptBackup, keptBackups } from '../backup/regular-backups.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const SEE_LOG = 'the forum makes them while it runs; backup-failed in its log says why one was not made'

/** Checks the backups of BACKUP_EVERY: how old the last complete one is. Nothing without it. */
export async function checkBackups({ backups }: Pick<Config, 'backups'>, now: number): Promise<Finding[]> {
  if (backups === null) return []
  const { folder, everyMs } = backups
  const kept = await readable(folder)
  if (kept === null)
    return [
      problem(
        'backups',
        `BACKUP_DIR ${folder} is not there, or this user may not write to it`,
        'create it, owned by this user; nothing is backed up until then',
      ),
    ]
  const whole = kept.find(({ isWhole }) => isWhole)
  if (whole === undefined) return [noneYet(folder, kept)]
  const age = now - whole.at
  const says = `${kept.length} in ${folder}, the last complete one ${durationText(age)} old`
  if (kept[0] !== whole)
    return [
      problem(
        'backups',
        `${says}: the ones after it lack pictures that posts show`,
        `npm run handup -- restore ${folder}/${whole.name} --pictures`,
      ),
    ]
  return [age < 2 * everyMs ? ok('backups', says) : problem('backups', says, SEE_LOG)]
}

function noneYet(folder: string, kept: readonly KeptBackup[]): Finding {
  if (kept.length === 0) return warning('backups', `none in ${folder} yet`, SEE_LOG)
  return problem(
    'backups',
    `each of the ${kept.length} in ${folder} lacks pictures that posts show`,
    'the finding about picture files names them: put them back, or edit the posts',
  )
}

async function readable(folder: string): Promise<KeptBackup[] | null> {
  try {
    await access(folder, constants.W_OK)
    return await keptBackups(folder)
  } catch {
    return null
  }
}
