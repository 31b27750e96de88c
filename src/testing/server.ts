import { chmod, mkdtemp, readdir, realpath, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../database/embedded.ts'
import { isServing, readPostmasterFile, stopServer } from '../database/embedded-postmaster.ts'
import { processStamp } from '../database/embedded-process.ts'

/** A PostgreSQL for tests: its data may be lost, so it waits for no disk. */
export interface TestServer {
  /** Of a role that may create databases. */
  readonly url: string
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  // A vacuum in the template would make a test wait to copy it.
  autovacuum: 'off',
  max_connections: '300',
  // Memory is what holds the data: little log.
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '32MB',
  max_wal_size: '128MB',
}

const PREFIX = 'handup-tests-'
/** Linux's file system in memory, and how many bytes have to be free there. */
const MEMORY = '/dev/shm'
const ROOM = 2 ** 30

/** The server TEST_SERVER_URL names, as `npm test` sets it, which stays; else one of our own. */
export async function useTestServer(): Promise<TestServer> {
  const given = process.env.TEST_SERVER_URL
  if (given !== undefined && given !== '') return { url: given, stop: async () => {} }
  return startTestServer()
}

/** Starts the embedded PostgreSQL in a temporary folder: half a second in memory, two on a disk. */
export async function startTestServer(): Promise<TestServer> {
  const place = await fastestPlace()
  await removeLeftServers(place)
  const folder = await mkdtemp(join(place, `${PREFIX}${process.pid}-`))
  // Root's server runs as another user, who has to pass through.
  if (process.getuid?.() === 0) await chmod(folder, 0o711)
  const embedded = await startEmbedded({ dataDir: folder, role: 'command', settings: SETTINGS })
  return {
    url: embedded.url,
    stop: async () => {
      await embedded.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Copying the template takes 10 ms in memory and 600 on a disk. Containers often have only 64 MB of such memory. */
async function fastestPlace(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => null)
  return memory !== null && memory.bavail * memory.bsize > ROOM ? MEMORY : tmpdir()
}

/** Ends what killed test runs left: the folder's name tells whose it was. Another run may be about it as well. */
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
