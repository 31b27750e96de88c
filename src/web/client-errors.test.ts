import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { testApp } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'

/** Everything a server answers to these bytes. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

test('what never becomes a request gets a page with a number, and the next one is served', async (t) => {
  const app = await testApp(t, await testDatabase(t))
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  for (const [bytes, status] of [
    [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, '431'],
    ['NONSENSE\r\n\r\n', '400'],
  ] as const) {
    const answer = await exchange(port, bytes)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status}`))
    assert.match(answer, /content-type: text\/html; charset=utf-8/)
    assert.match(answer, /x-content-type-options: nosniff/)
    assert.match(answer, /<h1>.+<\/h1>[\s\S]*<code>[0-9a-f-]{36}<\/code>/)
  }
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200)
})

test('who goes on sending after that, and never hangs up, is cut off', async (t) => {
  const app = await testApp(t, await testDatabase(t))
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
    socket.write('NONSENSE\r\n\r\n'),
  )
  const dripping = setInterval(() => socket.write('x'), 200)
  const begun = performance.now()
  socket.resume().on('error', () => undefined)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(dripping)
  assert.ok(performance.now() - begun < 10_000, `${performance.now() - begun} ms`)
})
