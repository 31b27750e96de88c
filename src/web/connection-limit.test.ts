import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { aFolder } from '../database/embedded/testing.ts'
import { START, startInProcess } from '../operating/start/testing.ts'
import { testDatabaseWithUrl } from '../testing/database.ts'
import { until } from '../testing/waiting.ts'

/** Open files of the forum, and connections that are made to it. */
const [FILES, CONNECTIONS] = [160, 300]

test('a forum with too few file descriptors refuses connections, and lives', async (t) => {
  const { url } = await testDatabaseWithUrl(t)
  const limited = ['sh', '-c', `ulimit -n ${FILES} && exec "$0" "$@"`, process.execPath] as const
  const environment = { DATABASE_URL: url, DATA_DIR: await aFolder(t) }
  const forum = await startInProcess(t, environment, [...limited, ...START])
  await forum.ready()
  const { port } = new URL(forum.url)
  const open = new Set<Socket>()
  let refused = 0
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      refused += 1
    })
  }
  await until('the others are refused', () => refused >= CONNECTIONS - FILES)
  assert.match(await forum.line(/connections are refused/), /LimitNOFILE/)
  // Longer than between two looks at the clock of shedding.ts, which once needed a file.
  const [first] = open
  assert.ok(first !== undefined)
  const answer = new Promise<string>((resolve) => first.once('data', (data) => resolve(String(data))))
  first.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.match(await answer, /^HTTP\/1\.1 200/, 'who is connected is served, and the database is reached')
  for (const socket of open) socket.destroy()
  const isIn = async () => (await fetch(`${forum.url}/sign-in`).catch(() => null))?.ok === true
  await until('others are let in again', isIn)
})
