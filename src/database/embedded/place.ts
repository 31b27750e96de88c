import { access, chmod, constants, lstat, mkdir, readdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { EmbeddedError } from './error.ts'

/** Where the cluster is or will be. */
export interface ClusterLocation {
  /** the data folder's real path */
  dataDir: string
  /** the cluster's real path; differs from DATA_DIR/postgres when that is a link */
  cluster: string
  /** a complete cluster exists: initdb writes elsewhere, and its folder is renamed on success */
  exists: boolean
  /** DATA_DIR/postgres is a link, so a new cluster must be at its target */
  linked: boolean
}

/**
 * Creates the data folder if it is missing. Root's is passable for the server's user (0711), an ordinary user's is
 * private (0700): it also holds passwords and uploads.
 * @returns its real path
 */
export async function openDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir)
  await makeFolder(path, process.getuid?.() === 0 ? 0o711 : 0o700)
  return realpath(path)
}

/** Creates a folder, and those above it. @throws EROFS where its disk is read-only: Node says ENOENT */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { recursive: true, ...(mode !== undefined && { mode }) })
  } catch (error) {
    let above = resolve(path)
    while ((await lstat(above).catch(() => null)) === null) above = dirname(above)
    await access(above, constants.W_OK).catch((reason: NodeJS.ErrnoException) => {
      if (reason.code === 'EROFS') throw reason
    })
    throw error
  }
}

/** Creates root's folder for what the server's user must reach, passable whatever the umask. */
export async function openStateDir(stateDir: string): Promise<void> {
  const made = await mkdir(stateDir, { recursive: true })
  if (made) await chmod(stateDir, 0o755)
}

/** Resolves DATA_DIR/postgres without changing anything. */
export async function locateCluster(dataDir: string): Promise<ClusterLocation> {
  const path = join(dataDir, 'postgres')
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!found) return { dataDir, cluster: path, exists: false, linked: false }
  if (found.isSymbolicLink()) return locateLinkedCluster(dataDir, path)
  return { dataDir, cluster: path, exists: await holdsCluster(path), linked: false }
}

/** Unfinished clusters beside a cluster's path, left by a killed first start. */
export async function findUnfinished(cluster: string): Promise<string[]> {
  const names = await readdir(dirname(cluster)).catch(() => [])
  return names
    .filter((name) => name.startsWith(unfinishedPrefix(cluster)))
    .map((name) => join(dirname(cluster), name))
}

/** The name of an unfinished cluster's folder, before its random suffix. */
export function unfinishedPrefix(cluster: string): string {
  return `${basename(cluster)}.new-`
}

async function locateLinkedCluster(dataDir: string, link: string): Promise<ClusterLocation> {
  const target = resolve(dataDir, await readlink(link))
  const cluster = await realpath(target).catch(() => null)
  if (cluster) return { dataDir, cluster, exists: await holdsCluster(cluster), linked: true }
  // The link is created before initdb runs, so an unfinished cluster is beside its missing target.
  if ((await findUnfinished(target)).length > 0)
    return { dataDir, cluster: target, exists: false, linked: true }
  throw new EmbeddedError(
    `${link} points to ${target}, which is gone: put that folder back, or remove the link to begin with an empty database`,
  )
}

async function holdsCluster(path: string): Promise<boolean> {
  const names = await readdir(path)
  if (names.length === 0) return false
  if (names.includes('PG_VERSION')) return true
  throw new EmbeddedError(
    `${path} is not empty and holds no PostgreSQL cluster: set DATA_DIR to another folder`,
  )
}
