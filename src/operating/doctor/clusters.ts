import { outsideClusters } from '../../database/embedded/owners.ts'
import { type Finding, warning } from './finding.ts'

/** Databases whose DATA_DIR was removed. Those without a recorded owner may be in use. */
export async function checkClusters(): Promise<Finding[]> {
  const orphaned = (await outsideClusters()).filter(({ state }) => state === 'orphaned')
  if (orphaned.length === 0) return []
  const told = orphaned.map(({ path, dataDir }) => `${path} (of ${dataDir})`).join(', ')
  return [
    warning(
      'clusters',
      `their DATA_DIR is gone: ${told}`,
      'npm run handup -- clusters clear removes them, with all data in them',
    ),
  ]
}
