import { constants, existsSync } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type OutsideCluster, outsideClusters } from '../../database/embedded/owners.ts'
import { sizeOf } from '../size.ts'
import { type Finding, type WordedFinding, warning, worded } from './finding.ts'

/** Free bytes below which PostgreSQL soon cannot write its log… */
const MIN_BYTES = 500e6
/** …and below which the operator is warned. */
const LOW_BYTES = 2e9

export async function checkDisk(dataDir: string): Promise<WordedFinding> {
  const folder = nearestFolder(dataDir)
  if (!(await stat(folder)).isDirectory()) return worded('problem', 'disk', 'file', { folder })
  try {
    await access(folder, constants.W_OK)
  } catch {
    return worded('problem', 'disk', 'readOnly', { folder: dataDir })
  }
  const { bavail, bsize } = await statfs(folder)
  return roomFinding(dataDir, bavail * bsize)
}

export function roomFinding(dataDir: string, free: number): WordedFinding {
  const values = { free: (free / 1e9).toFixed(1), folder: dataDir }
  if (free < MIN_BYTES) return worded('problem', 'disk', 'full', values)
  return free < LOW_BYTES ? worded('warning', 'disk', 'low', values) : worded('ok', 'disk', 'free', values)
}

/** DATA_DIR is created at the first start. */
function nearestFolder(path: string): string {
  if (existsSync(path) || dirname(path) === path) return path
  return nearestFolder(dirname(path))
}

/**
 * Databases whose DATA_DIR cannot be found. It may only be not mounted at the moment, so nothing here advises
 * to delete one. An installation with another database is not told of them.
 */
export async function checkClusters(databaseUrl: string | null, stateDir?: string): Promise<Finding[]> {
  if (databaseUrl !== null) return []
  const orphaned = (await outsideClusters(stateDir)).filter(({ state }) => state === 'orphaned')
  if (orphaned.length === 0) return []
  return [
    warning(
      'clusters',
      `their DATA_DIR is missing: ${orphaned.map(told).join(', ')}`,
      'mount or restore that folder if you need the data; list them with npm run handup -- clusters',
    ),
  ]
}

function told({ path, dataDir, bytes, usedAt }: OutsideCluster): string {
  return `${path} (of ${dataDir}, ${sizeOf(bytes)}, last used ${usedAt?.toISOString().slice(0, 10) ?? 'never'})`
}
