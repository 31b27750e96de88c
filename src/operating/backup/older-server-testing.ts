import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { freePort } from '../start/testing.ts'

const execute = promisify(execFile)
/** An unprivileged user that every system has; PostgreSQL refuses to run as root. */
const NOBODY = 65_534

/** The folder of Debian's programs of a PostgreSQL older than the embedded one; null: none is installed. */
export async function findOlderServer(): Promise<string | null> {
  for (const version of [15, 16, 17]) {
    const bin = `/usr/lib/postgresql/${version}/bin`
    const isThere = await access(join(bin, 'initdb')).then(
      () => true,
      () => false,
    )
    if (isThere) return bin
  }
  return null
}

/**
 * Starts the server in a temporary folder, with an empty database whose owner is no superuser; stops it after the test.
 */
export async function startOlderServer(test: Ending, bin: string): Promise<{ readonly url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'handup-older-'))
  atEnd(test, () => rm(folder, { recursive: true, force: true }))
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) await chown(folder, NOBODY, NOBODY)
  const cluster = join(folder, 'cluster')
  const making = '-U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync'.split(' ')
  await execute(join(bin, 'initdb'), ['-D', cluster, ...making], user)
  const port = await freePort()
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off' }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(bin, 'postgres'), ['-D', cluster, ...args], { ...user, stdio: 'ignore' })
  atEnd(test, async () => {
    server.kill('SIGINT')
    if (server.exitCode === null) await once(server, 'close')
  })
  await createDatabase(`postgres://postgres@127.0.0.1:${port}/postgres`)
  return { url: `postgres://handup@127.0.0.1:${port}/handup` }
}

async function createDatabase(url: string): Promise<void> {
  const client = await patientClient(url)
  await client.query('create role handup login')
  await client.query('create database handup owner handup')
  await client.end()
}

/** Resolves when the server answers. */
async function patientClient(url: string): Promise<pg.Client> {
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return client
    } catch (error) {
      if (tries === 2000) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
