import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { agentsOn } from '../../accounts/apps/testing.ts'
import { freePort } from '../../operating/start/testing.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { runCommand } from '../../testing/command.ts'
import { aForum } from '../../testing/forum.ts'
import { MemoryCounter } from '../../web/limits/limits.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CONFORMANCE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const EXPECTED = join(import.meta.dirname, 'expected-failures.yml')

test('the door for agents is as the protocol’s own suite has it, but for what it asks of its fixtures', async (t) => {
  // The suite asks more often than any agent may.
  t.mock.method(MemoryCounter.prototype, 'count', () => ({ count: 1, ttl: 1000 }))
  const port = await freePort()
  const { app, db } = await aForum(t, { baseUrl: `http://127.0.0.1:${port}` })
  await agentsOn(db)
  await aQuestion(db, { course: await aCourse(db) })
  await app.listen({ host: '127.0.0.1', port })
  const url = `http://127.0.0.1:${port}/mcp`
  const options = ['--requirements', '2026-07-28', '--expected-failures', EXPECTED]
  const { code, output } = await runCommand(process.execPath, [
    CONFORMANCE,
    'server',
    '--url',
    url,
    ...options,
  ])
  assert.equal(code, 0, output)
})
