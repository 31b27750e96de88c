import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Bytes below which PostgreSQL soon has no room to write its log… */
const TOO_LITTLE = 500e6
/** …and below which it is time to think of it. */
const LITTLE = 2e9

/** That DATA_DIR can be written, and that there is room. */
export async function checkDisk(dataDir: string): Promise<Finding> {
  const folder = await nearestFolder(dataDir)
  try {
    await access(folder, constants.W_OK)
  } catch {
    return problem(
      'disk',
      `${dataDir} cannot be written by this user`,
      'make this user its owner, or set DATA_DIR to another folder',
    )
  }
  const { bavail, bsize } = await statfs(folder)
  return roomFinding(dataDir, bavail * bsize)
}

export function roomFinding(dataDir: string, free: number): Finding {
  const says = `${(free / 1e9).toFixed(1)} GB free at ${dataDir}`
  if (free < TOO_LITTLE) return problem('disk', says, 'make room now: a database without any stops')
  return free < LITTLE
    ? warning('disk', says, 'make room, or move DATA_DIR to a larger disk')
    : ok('disk', says)
}

/** DATA_DIR is made at the first start. */
async function nearestFolder(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path))
}
