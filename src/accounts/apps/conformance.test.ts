import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { aForum } from '../../testing/forum.ts'
import { until } from '../../testing/waiting.ts'
import { agentsOn, aRegisteredApp, decide } from './testing.ts'

const SUITE = join(import.meta.dirname, '../../../node_modules/.bin/conformance')

test('the conformance suite of MCP finds metadata, authorization request and token request as they should be', async (t) => {
  const [port, callbackPort] = [await aFreePort(), await aFreePort()]
  const baseUrl = `http://127.0.0.1:${port}`
  const { app, db } = await aForum(t, { baseUrl })
  await app.listen({ host: '127.0.0.1', port })
  await agentsOn(db)
  const client = await aRegisteredApp(db, { redirectUris: ['http://127.0.0.1/callback'] })
  const resource = `${baseUrl}/mcp`
  const options = { url: baseUrl, 'client-id': client.clientId, resource, port: callbackPort }
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const suite = spawn(process.execPath, [SUITE, 'authorization', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => suite.kill())
  let said = ''
  for (const stream of [suite.stdout, suite.stderr])
    stream.on('data', (data: Buffer) => {
      said += data.toString()
    })
  const ended = once(suite, 'exit')
  const asking = () => /^http\S+\/oauth\/authorize\?\S+$/m.exec(said)?.[0]
  await until('the suite asks for access', () => asking() !== undefined || suite.exitCode !== null)
  const { pathname, search } = new URL(asking() ?? assert.fail(said))
  const browser = await signedIn(app, await aPerson(db))
  const answer = await decide(browser, pathname + search)
  assert.equal((await fetch(String(answer.headers.location))).status, 200)
  const [status] = await ended
  assert.equal(status, 0, said)
  for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant'])
    assert.match(said, new RegExp(`✓ ${scenario}: \\d+ passed, 0 failed`), said)
  assert.doesNotMatch(said, /WARNING/)
})

async function aFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : assert.fail()
}
