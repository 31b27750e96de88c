import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { testAppThatLogs } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/waiting.ts'

const HEAD = 'POST /sign-in HTTP/1.1\r\nHost: forum\r\nContent-Type: application/x-www-form-urlencoded\r\n'
/** Bodies that promise more than comes. */
const BODIES = ['Content-Length: 100000\r\n\r\nemail=a', 'Transfer-Encoding: chunked\r\n\r\n5\r\nemail']

test('a client that breaks off a form is noted as that, never as a failure of ours', async (t) => {
  const { app, lines } = await testAppThatLogs(t, await testDatabase(t))
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const entries = () => lines.map((line): Record<string, unknown> => JSON.parse(line))
  const noted = () => entries().filter(({ event }) => event === 'form-broken-off')
  for (const [before, body] of BODIES.entries()) {
    const reached = once(app.server, 'request')
    const socket = connect(port, '127.0.0.1', () => socket.write(HEAD + body))
    socket.on('error', () => undefined)
    await reached
    socket.resetAndDestroy()
    await until('the event is noted', () => noted().length === before + 1)
  }
  for (const { level, path, reqId, err } of noted()) {
    assert.deepEqual([level, path, err], [30, '/sign-in', undefined])
    assert.match(String(reqId), /^[0-9a-f-]{36}$/)
  }
  const worse = entries().filter(({ level }) => Number(level) > 30)
  assert.deepEqual(worse, [])
})
