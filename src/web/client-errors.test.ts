import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { testAppThatLogs } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'
import { FAREWELL } from './transport/connections.ts'

/** A forum that listens, with its log. */
async function aListener(t: TestContext) {
  const { app, lines } = await testAppThatLogs(t, await testDatabase(t))
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  return { app, port, lines }
}

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
  const { port } = await aListener(t)
  for (const [bytes, status] of [
    [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, '431'],
    ['NONSENSE\r\n\r\n', '400'],
    ['FOO /courses HTTP/1.1\r\nHost: a\r\n\r\n', '501'],
  ] as const) {
    const answer = await exchange(port, bytes)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status}`))
    assert.match(answer, /content-type: text\/html; charset=utf-8/)
    assert.match(answer, /x-content-type-options: nosniff/)
    assert.match(answer, /<h1>.+<\/h1>[\s\S]*<code>[0-9a-f-]{36}<\/code>/)
  }
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200)
})

test('a target that is no path is answered by a page of ours, which the log has', async (t) => {
  const { port, lines } = await aListener(t)
  for (const [target, status] of [
    ['GET *', '400'],
    ['OPTIONS *', '400'],
    ['GET nothing', '400'],
    ['GET ftp://evil.test/', '400'],
    ['GET //', '404'],
    ['GET ///?x=1', '404'],
    ['GET //evil.test', '404'],
    ['GET http://evil.test/nowhere', '404'],
    ['CONNECT evil.test:443', '400'],
  ] as const) {
    lines.length = 0
    const head = 'Host: a\r\nAccept: text/html\r\nConnection: close'
    const answer = await exchange(port, `${target} HTTP/1.1\r\n${head}\r\n\r\n`)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status}`), target)
    assert.match(answer, /content-security-policy: default-src 'none'/, target)
    assert.match(answer, /content-type: text\/html; charset=utf-8/, target)
    const [, id] = /<code>([0-9a-f-]{36})<\/code>/.exec(answer) ?? []
    assert.ok(id !== undefined && lines.some((line) => line.includes(id)), `${target}: ${lines.join()}`)
  }
})

test('a request without a host gets a page of ours, too', async (t) => {
  const { port, lines } = await aListener(t)
  const answer = await exchange(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')
  assert.match(answer, /^HTTP\/1.1 400[\s\S]*content-security-policy[\s\S]*<h1/)
  assert.match(lines.join('\n'), /"event":"error-page"/)
})

test('a target in absolute form is its path, and no page repeats whose it says it is', async (t) => {
  const { port } = await aListener(t)
  for (const target of [
    'http://evil.test/sign-in?next=/tags',
    'HTTPS://evil.test/tags',
    'http://evil.test',
    'http://evil.test?q=1',
  ]) {
    const answer = await exchange(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1.1 200/, target)
    assert.match(answer, /<link rel="canonical" href="http:\/\/localhost:3000\/[a-z-]*">/, target)
    assert.doesNotMatch(answer, /evil\.test/i, target)
  }
})

test('who goes on sending after that, and never hangs up, is cut off', async (t) => {
  const { port } = await aListener(t)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
    socket.write('NONSENSE\r\n\r\n'),
  )
  const dripping = setInterval(() => socket.write('x'), 20)
  t.after(() => clearInterval(dripping))
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await once(socket, 'data')
  assert.equal(socket.closed, false)
  t.mock.timers.tick(FAREWELL)
  t.mock.timers.reset()
  await closed
})
