import { createHmac, randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { prepareBinaries } from './binaries.ts'
import { EmbeddedError, makeFolder, nullIfMissing, reasonIn } from './error.ts'
import { chooseServerUser, run, type ServerUser } from './process.ts'

/** Root's folder for clusters that the server's user cannot reach below their DATA_DIR. */
export const STATE_DIR = '/var/lib/handup'

export interface SiteOptions {
  /** holds everything: cluster, passwords, log */
  dataDir: string
  /** 'app': only one at a time per folder; 'command': an operator's command, beside the app or alone */
  role: 'app' | 'command'
  /** progress, one line per call; also when the server had to be restarted later */
  onProgress?: (line: string) => void
  /** PostgreSQL settings, such as { fsync: 'off' } in tests */
  settings?: Record<string, string>
  /** PostgreSQL's folder with bin, lib and share; by default the npm package's */
  native?: string
  /** root's folder for what the server's user could not reach otherwise */
  stateDir?: string
}

export type Site = Awaited<ReturnType<typeof prepareSite>>

/** Prepares the server's user, programs, passwords and cluster. Requires the start lock, and dataDir's real path. */
export async function prepareSite(options: SiteOptions, signal: AbortSignal) {
  const { dataDir, role, stateDir = STATE_DIR, settings = {}, onProgress: progress = () => {} } = options
  const notes: string[] = []
  const { cluster, exists } = await locateCluster(dataDir)
  const user = await chooseServerUser(exists ? cluster : null, notes)
  const binaries = await prepareBinaries(user, stateDir, notes, options.native)
  const passwords = await keepPasswords(dataDir, exists)
  // Kept once there is a server: after a crash it starts on the same one, so that the forum's pool can reconnect.
  const port = null as number | null
  const needs = { dataDir, stateDir, cluster, user, binaries, passwords, settings }
  const site = { ...needs, role, port, progress, notes }
  if (exists) await checkCluster(site)
  else site.cluster = await createCluster(site, signal)
  if (site.cluster !== `${dataDir}/postgres`)
    notes.push(`The database is in ${site.cluster}; ${dataDir}/postgres links to it`)
  return site
}

/**
 * @returns `cluster`: the real path of DATA_DIR/postgres; `exists`: it is complete, as initdb works beside it
 */
async function locateCluster(dataDir: string) {
  const path = join(dataDir, 'postgres')
  const linked = resolve(dataDir, await fs.readlink(path).catch(() => path))
  const cluster = await fs.realpath(linked).catch(() => linked)
  const names = await fs.readdir(cluster).catch(nullIfMissing)
  if (names === null && cluster !== path)
    throw new EmbeddedError(
      `${path} points to ${cluster}, which is gone: put that folder back, or remove the link to begin with an empty database`,
    )
  const exists = names?.includes('PG_VERSION') ?? false
  if (names && names.length > 0 && !exists)
    throw new EmbeddedError(
      `${cluster} is not empty and holds no PostgreSQL cluster: set DATA_DIR to another folder`,
    )
  return { cluster, exists }
}

/**
 * Reads the superuser's password from `postgres-password`, or creates it (256 random bits) before the first
 * cluster; the forum role's is derived from it.
 * @param clusterExists a missing file is then an error: a new secret would not open the old cluster
 */
export async function keepPasswords(dataDir: string, clusterExists: boolean) {
  const path = join(dataDir, 'postgres-password')
  const text = await fs.readFile(path, 'utf8').catch(nullIfMissing)
  let [superuser] = /^[\w-]{43}$/.exec(text?.trim() ?? '') ?? []
  if (superuser === undefined) {
    if (clusterExists)
      throw new EmbeddedError(
        `${path} is missing or damaged but its database is there: put the file back from a backup`,
      )
    superuser = randomBytes(32).toString('base64url')
    await fs.rm(path, { force: true }) // one whose writing was interrupted
    await fs.writeFile(path, `${superuser}\n`, { mode: 0o600, flag: 'wx', flush: true })
  }
  return { superuser, forum: createHmac('sha256', superuser).update('handup').digest('base64url') }
}

/** Checks that an existing cluster has our PostgreSQL version, and is its user's, private and accessible. */
async function checkCluster({ cluster, user, binaries }: Site): Promise<void> {
  const version = (await fs.readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  const [major] = binaries.version.split('.')
  if (version !== major)
    throw new EmbeddedError(
      `${cluster} was made by PostgreSQL ${version}, this Handup brings ${major} and has changed nothing: make a backup with ` +
        'the Handup that made it and restore it into a new DATA_DIR (docs/operating.md, "A new major version of PostgreSQL")',
    )
  const { uid, mode } = await fs.stat(cluster)
  // A cluster copied by root belongs to root, for whom PostgreSQL refuses to start.
  if (user && uid !== user.uid) await run('chown', ['-R', `${user.uid}:${user.gid}`, cluster], null)
  if ((mode & 0o077) !== 0) await fs.chmod(cluster, 0o700)
  if (!(await isUsable(cluster, user))) throw outOfReach(cluster, user)
}

/**
 * initdb works in a folder beside the final one, which is renamed on success: an interruption leaves a whole
 * cluster or none.
 * @returns its real path: the cluster of the site, or where the server's user cannot use that, a folder in
 *   `stateDir` to which DATA_DIR/postgres links
 */
async function createCluster(site: Site, signal: AbortSignal): Promise<string> {
  const { user, cluster: usual } = site
  site.progress('Creating the database cluster (first start only)')
  const link = join(site.dataDir, 'postgres')
  const elsewhere = join(site.stateDir, randomBytes(8).toString('hex'))
  // Left by a killed first start, whose initdb may still be writing.
  for (const name of await fs.readdir(dirname(usual)))
    if (name.startsWith(`${basename(usual)}.new-`)) await removeFolder(join(dirname(usual), name))
  for (const cluster of usual === link ? [usual, elsewhere] : [usual]) {
    await makeFolder(dirname(cluster), 0o755)
    const folder = await fs.mkdtemp(`${cluster}.new-`)
    try {
      // Some file systems do not support owners; isUsable reports that.
      if (user) await fs.chown(folder, user.uid, user.gid).catch(() => {})
      if (!(await isUsable(folder, user))) continue
      // The link is created first, so that the new cluster cannot be lost; an interrupted start goes on there.
      if (cluster === elsewhere) await fs.mkdir(cluster).then(() => fs.symlink(cluster, link))
      await initialise(folder, site, signal)
      await fs.rename(join(folder, 'data'), cluster)
      const parent = await fs.open(dirname(cluster))
      await parent.sync().finally(() => parent.close())
      return cluster
    } finally {
      await removeFolder(folder)
    }
  }
  throw outOfReach(usual === link ? site.stateDir : dirname(usual), user)
}

/** Tries again for some seconds, as long as somebody writes into it. */
const removeFolder = (path: string) => fs.rm(path, { recursive: true, force: true, maxRetries: 10 })

/**
 * Runs initdb into `folder/data`: UTF-8, ICU's root collation (the same order on every machine and for every
 * language), checksums, SCRAM passwords only. The password is passed in a private file, never on the command
 * line.
 * @param folder an empty private folder of the server's user
 */
async function initialise(folder: string, site: Site, signal: AbortSignal): Promise<void> {
  const { user, binaries, passwords, settings } = site
  const passwordFile = join(folder, 'password')
  await fs.writeFile(passwordFile, passwords.superuser, { mode: 0o600 })
  if (user) await fs.chown(passwordFile, user.uid, user.gid)
  const options = [
    ...[`--pgdata=${join(folder, 'data')}`, `--pwfile=${passwordFile}`, '--username=postgres'],
    ...['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=und', '--locale=C', '--data-checksums'],
    ...['--auth=scram-sha-256', '--no-instructions', ...(settings.fsync === 'off' ? ['--no-sync'] : [])],
  ]
  const initdb = (ctype: string) => run(binaries.initdb, [...options, `--lc-ctype=${ctype}`], user, signal)
  // "C.UTF-8" classifies the letters of every script; systems without it (older macOS) use plain "C".
  const first = await initdb('C.UTF-8')
  const { code, output } = /invalid locale/.test(first.output) ? await initdb('C') : first
  if (code === 0) return
  const parent = dirname(folder)
  throw new EmbeddedError(
    `PostgreSQL's initdb could not create a database in ${parent} (${reasonIn(output, parent)}): ` +
      'fix that, or set DATABASE_URL to a PostgreSQL of your own',
  )
}

/** Tested as that user, because path permissions, ACLs and mounts all matter. */
async function isUsable(folder: string, user: ServerUser): Promise<boolean> {
  const test = ['-c', 'test -O "$0" && test -w "$0" && test -x "$0"', folder]
  return user === null || (await run('/bin/sh', test, user)).code === 0
}

function outOfReach(folder: string, user: ServerUser): EmbeddedError {
  return new EmbeddedError(
    `${folder} cannot be used by ${user?.name ?? 'this user'}, who runs PostgreSQL: let that user pass every folder above it ` +
      '(chmod o+x), or set DATA_DIR to another folder',
  )
}
