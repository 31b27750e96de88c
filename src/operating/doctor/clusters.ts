import { type OutsideCluster, outsideClusters } from '../../database/embedded/owners.ts'
import { sizeOf } from '../size.ts'
import { type Finding, warning } from './finding.ts'

/**
 * Databases whose DATA_DIR cannot be found. It may only be not mounted at the moment, so nothing here advises to delete
 * one. An installation with another database is not told of them.
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
