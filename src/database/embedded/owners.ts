import { readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { STATE_DIR } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import { isServing, readPostmasterFile } from './postmaster.ts'

const CLUSTER_NAME = /^[0-9a-f]{16}$/
const OWNER_SUFFIX = '.data-dir'

/** A cluster outside its DATA_DIR. */
export interface OutsideCluster {
  readonly name: string
  readonly path: string
  /** The owner's DATA_DIR; null: not recorded, because an older Handup created it. */
  readonly dataDir: string | null
  /** 'orphaned': its DATA_DIR does not link to it, or is not there at the moment. 'unknown': no owner was recorded. */
  readonly state: 'in use' | 'orphaned' | 'unknown'
  /** Size of its files. */
  readonly bytes: number
  /** When its server last wrote its control file, as it does at least at each start and stop; null: there is none. */
  readonly usedAt: Date | null
}

/** Records beside a cluster which DATA_DIR links to it, so that orphans can be detected. */
export async function noteOwner(cluster: string, dataDir: string): Promise<void> {
  await writeFile(`${cluster}${OWNER_SUFFIX}`, `${dataDir}\n`, { mode: 0o644 })
}

/** All clusters in root's folder, by name; none when the folder does not exist. */
export async function outsideClusters(stateDir: string = STATE_DIR): Promise<OutsideCluster[]> {
  const names = await readdir(stateDir).catch(() => [])
  return Promise.all(
    names
      .filter((name) => CLUSTER_NAME.test(name))
      .sort()
      .map(async (name) => {
        const path = join(stateDir, name)
        const dataDir = await ownerOf(path)
        const [state, bytes, usedAt] = await Promise.all([
          stateOf(path, dataDir),
          bytesOf(path),
          usedAtOf(path),
        ])
        return { name, path, dataDir, state, bytes, usedAt }
      }),
  )
}

/**
 * Removes a cluster and its data.
 * @throws EmbeddedError when its server runs
 */
export async function removeCluster({ path, state }: OutsideCluster): Promise<void> {
  if (state === 'in use' || (await hasServer(path)))
    throw new EmbeddedError(`${path} is in use: nothing was removed`)
  await rm(path, { recursive: true, force: true })
  await rm(`${path}${OWNER_SUFFIX}`, { force: true })
}

/** Files that go meanwhile, and folders that may not be read, count nothing. */
async function bytesOf(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries.filter((one) => one.isFile()))
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0
  return bytes
}

async function usedAtOf(path: string): Promise<Date | null> {
  return (await stat(join(path, 'global/pg_control')).catch(() => null))?.mtime ?? null
}

async function ownerOf(path: string): Promise<string | null> {
  const text = await readFile(`${path}${OWNER_SUFFIX}`, 'utf8').catch(() => '')
  return text.trim() === '' ? null : text.trim()
}

async function stateOf(path: string, dataDir: string | null): Promise<OutsideCluster['state']> {
  if (await hasServer(path)) return 'in use'
  if (dataDir === null) return 'unknown'
  const target = await readlink(join(dataDir, 'postgres')).catch(() => null)
  return target !== null && resolve(dataDir, target) === path ? 'in use' : 'orphaned'
}

async function hasServer(path: string): Promise<boolean> {
  const file = await readPostmasterFile(path).catch(() => null)
  return file !== null && (await isServing(file, path))
}
