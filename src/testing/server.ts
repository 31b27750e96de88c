import { chmod, mkdtemp, readdir, realpath, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { keepPasswords } from '../database/embedded/cluster.ts'
import { startEmbedded } from '../database/embedded/embedded.ts'
import { isServing, readPostmasterFile, stopServer } from '../database/embedded/postmaster.ts'
import { processStamp } from '../database/embedded/process.ts'

/** A PostgreSQL for tests without fsync: its data may be lost. */
export interface TestServer {
  /** For a role that may create databases. */
  readonly url: string
  /** The folder of its Unix socket; null: it has none. */
  readonly socketFolder: string | null
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  // A vacuum in the template would block its copying.
  autovacuum: 'off',
  max_connections: '300',
  // Each dropped database and each checkpoint goes through all buffers.
  shared_buffers: '128MB',
  // The data are in memory: keep the WAL small.
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '32MB',
  max_wal_size: '128MB',
  // The password protects nothing: checking it with each connection need not take long.
  scram_iterations: '1',
}

const PREFIX = 'handup-tests-'
/** Linux's file system in memory, and its required free space in bytes. */
const MEMORY_FOLDER = '/dev/shm'
const REQUIRED_BYTES = 2 ** 30
/** Operating systems allow some hundred characters in a socket's path. */
const MAX_FOLDER_LENGTH = 80

/** The server in TEST_SERVER_URL and TEST_SERVER_SOCKET, as set by `npm test`, which keeps running; else a new one. */
export async function useTestServer(): Promise<TestServer> {
  const given = process.env.TEST_SERVER_URL
  const socketFolder = process.env.TEST_SERVER_SOCKET ?? null
  if (given !== undefined && given !== '') return { url: given, socketFolder, stop: async () => {} }
  return startTestServer()
}

/** Starts the embedded PostgreSQL in a temporary folder: half a second in memory, two on a disk. */
export async function startTestServer(): Promise<TestServer> {
  const place = await fastestPlace()
  await removeLeftServers(place)
  const folder = await mkdtemp(join(place, `${PREFIX}${process.pid}-`))
  // Root's server runs as another user, who needs access.
  if (process.getuid?.() === 0) await chmod(folder, 0o711)
  const socketFolder = join(folder, 'postgres')
  const hasSocket = socketFolder.length <= MAX_FOLDER_LENGTH
  const settings = { ...SETTINGS, unix_socket_directories: hasSocket ? socketFolder : '' }
  const embedded = await startEmbedded({ dataDir: folder, role: 'command', settings })
  await allowEmptying(folder, embedded.url)
  return {
    url: embedded.url,
    socketFolder: hasSocket ? socketFolder : null,
    stop: async () => {
      await embedded.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Databases are emptied without their triggers (kept-databases.ts), which only a superuser may allow. */
async function allowEmptying(folder: string, url: string): Promise<void> {
  const address = new URL(url)
  address.username = 'postgres'
  address.password = (await keepPasswords(folder, true)).superuser
  address.pathname = '/postgres'
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  await client.query('grant set on parameter session_replication_role to public').finally(() => client.end())
}

/** Copying the template takes 10 ms in memory and 600 on a disk. Containers often have only 64 MB of such memory. */
async function fastestPlace(): Promise<string> {
  const memory = await statfs(MEMORY_FOLDER).catch(() => null)
  return memory !== null && memory.bavail * memory.bsize > REQUIRED_BYTES ? MEMORY_FOLDER : tmpdir()
}

/**
 * Stops servers of killed test runs: the folder's name contains the run's process id. Another run may do the same
 * concurrently.
 */
async function removeLeftServers(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : 0
    if (pid > 0 && processStamp(pid) === null) await removeServer(join(place, name)).catch(() => {})
  }
}

async function removeServer(folder: string): Promise<void> {
  const cluster = await realpath(join(folder, 'postgres')).catch(() => null)
  if (cluster !== null) {
    const file = await readPostmasterFile(cluster)
    if (file !== null && (await isServing(file, cluster))) await stopServer(file.pid)
    await rm(cluster, { recursive: true, force: true })
  }
  await rm(folder, { recursive: true, force: true })
}
