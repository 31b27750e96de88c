import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, open, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { EmbeddedError } from './error.ts'
import { type InitialisePlan, initialise } from './initdb.ts'
import { type ClusterLocation, findUnfinished, openStateDir, unfinishedPrefix } from './place.ts'
import { run, type SystemUser } from './process.ts'

/** Parameters for creating a cluster. */
export interface ClusterPlan extends InitialisePlan {
  place: ClusterLocation
  /** where the cluster goes when the server's user cannot use the data folder */
  stateDir: string
}

/**
 * Creates the cluster: initdb works in a folder beside the final one, which is renamed on success, so that an
 * interruption leaves either a whole cluster or none.
 * @returns the cluster's real path: DATA_DIR/postgres, or a folder in `stateDir` that it links to
 */
export async function createCluster(plan: ClusterPlan): Promise<string> {
  const { place, user } = plan
  for (const old of await findUnfinished(place.cluster)) await rm(old, { recursive: true, force: true })
  const folder = await beginFolder(place.cluster, user)
  try {
    if (await isUsable(folder, user)) return await fill(folder, place.cluster, plan)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  if (place.linked) throw new EmbeddedError(outOfReach(dirname(place.cluster), user))
  return createElsewhere(plan)
}

/** Checks that an existing cluster has our PostgreSQL version, and is its user's, private and accessible. */
export async function checkCluster(
  cluster: string,
  user: SystemUser | null,
  binaries: Binaries,
): Promise<void> {
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  const major = binaries.version.split('.')[0]
  if (version !== major) {
    throw new EmbeddedError(
      `${cluster} was made by PostgreSQL ${version}, this Handup brings ${major} and has changed nothing: make a backup with ` +
        'the Handup that made it and restore it into a new DATA_DIR (docs/operating.md, "A new major version of PostgreSQL")',
    )
  }
  const { uid, mode } = await stat(cluster)
  // A cluster copied by root belongs to root, for whom PostgreSQL refuses to start.
  if (user && uid !== user.uid) await run('chown', ['-R', `${user.uid}:${user.gid}`, cluster], null)
  if ((mode & 0o077) !== 0) await chmod(cluster, 0o700)
  if (!(await isUsable(cluster, user))) throw new EmbeddedError(outOfReach(cluster, user))
}

/** In a folder with a random name; the link is created first, so that the new cluster cannot be lost. */
async function createElsewhere(plan: ClusterPlan): Promise<string> {
  await openStateDir(plan.stateDir)
  const cluster = join(plan.stateDir, randomBytes(8).toString('hex'))
  const folder = await beginFolder(cluster, plan.user)
  const link = join(plan.place.dataDir, 'postgres')
  try {
    if (!(await isUsable(folder, plan.user))) throw new EmbeddedError(outOfReach(plan.stateDir, plan.user))
    await symlink(cluster, link)
    return await fill(folder, cluster, plan)
  } catch (error) {
    await rm(link, { force: true })
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function beginFolder(cluster: string, user: SystemUser | null): Promise<string> {
  const folder = join(dirname(cluster), unfinishedPrefix(cluster) + randomBytes(6).toString('hex'))
  await mkdir(folder, { mode: 0o700 })
  // Some file systems do not support owners; isUsable reports that.
  if (user) await chown(folder, user.uid, user.gid).catch(() => {})
  return folder
}

/** Tested as that user, because path permissions, ACLs and mounts all matter. */
async function isUsable(folder: string, user: SystemUser | null): Promise<boolean> {
  if (!user) return true
  const outcome = await run('/bin/sh', ['-c', 'test -O "$0" && test -w "$0" && test -x "$0"', folder], user)
  return outcome.code === 0
}

/** The work folder holds initdb's password file and, as `data`, the unfinished cluster. */
async function fill(folder: string, cluster: string, plan: ClusterPlan): Promise<string> {
  await initialise(folder, plan)
  await rename(join(folder, 'data'), cluster)
  if (plan.sync) await syncFolder(dirname(cluster))
  return cluster
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

function outOfReach(folder: string, user: SystemUser | null): string {
  return (
    `${folder} cannot be used by ${user?.name ?? 'this user'}, who runs PostgreSQL: let that user pass every folder above it ` +
    '(chmod o+x), or set DATA_DIR to another folder'
  )
}
