import { readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { STATE_DIR } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import { findServer } from './postmaster.ts'

/** Beside a cluster: the DATA_DIR that links to it. */
const ownerFile = (cluster: string) => `${cluster}.data-dir`

export const noteOwner = (cluster: string, dataDir: string) =>
  writeFile(ownerFile(cluster), `${dataDir}\n`, { mode: 0o644 })

/** All clusters in root's folder, by name; none when the folder does not exist. */
export async function outsideClusters(stateDir: string = STATE_DIR) {
  const names = (await readdir(stateDir).catch(() => [])).filter((name) => /^[0-9a-f]{16}$/.test(name))
  return Promise.all(names.sort().map((name) => inspect(name, join(stateDir, name))))
}

export type OutsideCluster = Awaited<ReturnType<typeof inspect>>

async function inspect(name: string, path: string) {
  // null: not recorded, because an older Handup created it.
  const dataDir = (await readFile(ownerFile(path), 'utf8').catch(() => '')).trim() || null
  const target = dataDir && (await readlink(join(dataDir, 'postgres')).catch(() => null))
  const isUsed = (target && resolve(dataDir, target) === path) || (await hasServer(path))
  // 'orphaned': its DATA_DIR does not link to it, or is not there at the moment. 'unknown': no owner was recorded.
  const state = isUsed ? 'in use' : dataDir === null ? 'unknown' : 'orphaned'
  let bytes = 0
  // Files that go meanwhile, and folders that may not be read, count nothing.
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries.filter((one) => one.isFile()))
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0
  // A server writes its control file at least at each start and stop; null: there is none.
  const usedAt = (await stat(join(path, 'global/pg_control')).catch(() => null))?.mtime ?? null
  return { name, path, dataDir, state, bytes, usedAt }
}

/** Removes a cluster and its data. @throws EmbeddedError when its server runs */
export async function removeCluster({ path, state }: OutsideCluster): Promise<void> {
  if (state === 'in use' || (await hasServer(path)))
    throw new EmbeddedError(`${path} is in use: nothing was removed`)
  await rm(path, { recursive: true, force: true })
  await rm(ownerFile(path), { force: true })
}

const hasServer = async (path: string) => (await findServer(path).catch(() => null)) !== null
