import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseServerUser } from '../../database/embedded/process.ts'
import { aFolder } from '../../database/embedded/testing.ts'
import { atEnd } from '../../testing/at-end.ts'
import { runCommand } from '../../testing/command.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { assertOneLine, assertStops, freePort, startInProcess } from './testing.ts'

const isInstalled = (await runCommand('pgbouncer', ['--version'])).code === 0

for (const mode of ['transaction', 'statement']) {
  test(`behind PgBouncer in ${mode} mode the start is refused in one line that says what to do`, {
    skip: !isInstalled,
  }, async (t) => {
    const DATABASE_URL = await aPooler(t, mode)
    const forum = await startInProcess(t, { DATABASE_URL, DATA_DIR: await aFolder(t) })
    await assertOneLine(forum, /^handup: DATABASE_URL leads through a pooler.*pool_mode=session/)
  })
}

test('behind PgBouncer in session mode the forum starts', { skip: !isInstalled }, async (t) => {
  const DATABASE_URL = await aPooler(t, 'session')
  const forum = await startInProcess(t, { DATABASE_URL, DATA_DIR: await aFolder(t) })
  await forum.ready()
  assert.equal((await fetch(`${forum.url}/questions`)).status, 200)
  await assertStops(forum)
})

/**
 * A PgBouncer with default settings before a database for one test.
 * @returns the URL through it
 */
async function aPooler(t: TestContext, mode: string): Promise<string> {
  const url = new URL((await testDatabaseWithUrl(t)).url)
  const folder = await aFolder(t)
  await chmod(folder, 0o755)
  const port = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  const account = `user=${url.username} password=${url.password}`
  await writeFile(
    settings,
    `[databases]
* = host=${url.hostname} port=${url.port} ${account}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
    { mode: 0o644 },
  )
  // It refuses to run as root.
  const user = await chooseServerUser(null, [])
  const pooler = spawn('pgbouncer', [settings], {
    stdio: 'ignore',
    ...(user !== null && { uid: user.uid, gid: user.gid }),
  })
  const ended = new Promise((resolve) => pooler.once('close', resolve))
  atEnd(t, async () => {
    pooler.kill('SIGKILL')
    await ended
  })
  for (let attempt = 0; attempt < 500 && !(await isListening(port)); attempt += 1) await sleep(20)
  url.port = String(port)
  url.hostname = '127.0.0.1'
  return url.href
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
