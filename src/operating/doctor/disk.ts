import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Free bytes below which PostgreSQL soon cannot write its log… */
const MIN_BYTES = 500e6
/** …and below which the operator is warned. */
const LOW_BYTES = 2e9

/** Checks that DATA_DIR is writable and the disk has free space. */
export async function checkDisk(dataDir: string): Promise<Finding> {
  const folder = await nearestFolder(dataDir)
  if (!(await stat(folder)).isDirectory())
    return problem('disk', `${folder} is a file where DATA_DIR needs a folder`, 'set DATA_DIR to a folder')
  try {
    await access(folder, constants.W_OK)
  } catch {
    return problem(
      'disk',
      `${dataDir} can’t be written by this user`,
      'make this user its owner, or set DATA_DIR to another folder',
    )
  }
  const { bavail, bsize } = await statfs(folder)
  return roomFinding(dataDir, bavail * bsize)
}

export function roomFinding(dataDir: string, free: number): Finding {
  const says = `${(free / 1e9).toFixed(1)} GB free at ${dataDir}`
  if (free < MIN_BYTES) return problem('disk', says, 'free space now: the database stops without any')
  return free < LOW_BYTES
    ? warning('disk', says, 'free space, or move DATA_DIR to a larger disk')
    : ok('disk', says)
}

/** DATA_DIR is created at the first start. */
async function nearestFolder(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path))
}
