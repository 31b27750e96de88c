import { chmod, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
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
}

const PREFIX = 'handup-tests-'

/** The server TEST_SERVER_URL names, as `npm test` sets it, which stays; else one of our own. */
export async function useTestServer(): Promise<TestServer> {
  const given = process.env.TEST_SERVER_URL
  if (given !== undefined && given !== '') return { url: given, stop: async () => {} }
  return startTestServer()
}

/** Starts the embedded PostgreSQL in a temporary folder: about half a second. */
export async function startTestServer(): Promise<TestServer> {
  await removeLeftServers()
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
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

/** Ends what killed test runs left: the folder's name tells whose it was. */
async function removeLeftServers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-')[0] : undefined
    if (pid === undefined || processStamp(Number(pid)) !== null) continue
    const folder = join(tmpdir(), name)
    const cluster = await realpath(join(folder, 'postgres')).catch(() => null)
    if (cluster !== null) {
      const file = await readPostmasterFile(cluster)
      if (file !== null && (await isServing(file, cluster))) await stopServer(file.pid)
      await rm(cluster, { recursive: true, force: true })
    }
    await rm(folder, { recursive: true, force: true })
  }
}
