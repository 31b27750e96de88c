import { chmod, lstat, mkdir, readdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { EmbeddedError } from './embedded-error.ts'

/** Where the cluster is, or will be. */
export interface Place {
  /** the data folder's true path */
  dataDir: string
  /** the cluster's true path; differs from DATA_DIR/postgres when that is a link */
  cluster: string
  /** a whole cluster is there: initdb writes elsewhere and its folder is renamed when it is done */
  exists: boolean
  /** DATA_DIR/postgres is a link already, so a new cluster belongs at its target and nowhere else */
  linked: boolean
}

/**
 * Makes the data folder when it is missing. Root's lets its server's user pass through (0711), an ordinary user's
 * is private (0700): it also holds the passwords and what people upload.
 * @returns its true path
 */
export async function openDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir)
  await mkdir(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  return realpath(path)
}

/** Makes root's folder for what the server's user must reach, passable whatever the umask. */
export async function openStateDir(stateDir: string): Promise<void> {
  const made = await mkdir(stateDir, { recursive: true })
  if (made) await chmod(stateDir, 0o755)
}

/** Looks, without changing anything, what DATA_DIR/postgres is. */
export async function findPlace(dataDir: string): Promise<Place> {
  const path = join(dataDir, 'postgres')
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!found) return { dataDir, cluster: path, exists: false, linked: false }
  if (found.isSymbolicLink()) return findLinkedPlace(dataDir, path)
  return { dataDir, cluster: path, exists: await holdsCluster(path), linked: false }
}

/** The begun clusters beside a cluster's path: what a killed first start left. */
export async function findUnfinished(cluster: string): Promise<string[]> {
  const names = await readdir(dirname(cluster)).catch(() => [])
  return names
    .filter((name) => name.startsWith(unfinishedPrefix(cluster)))
    .map((name) => join(dirname(cluster), name))
}

/** What the folder of a cluster being made is called, before its random ending. */
export function unfinishedPrefix(cluster: string): string {
  return `${basename(cluster)}.new-`
}

async function findLinkedPlace(dataDir: string, link: string): Promise<Place> {
  const target = resolve(dataDir, await readlink(link))
  const cluster = await realpath(target).catch(() => null)
  if (cluster) return { dataDir, cluster, exists: await holdsCluster(cluster), linked: true }
  // The link is made before initdb runs: beside its missing target then lies the begun cluster.
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
