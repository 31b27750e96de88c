import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '../../database/embedded/testing.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'

const MAIL = ['From: mina@home.example', 'To: reply+none@forum.example', 'Subject: Re', '', 'Thanks.'].join(
  '\r\n',
)

test('handup mail receive fails as mail servers understand: what may pass is tried again', async (t) => {
  const { url } = await testDatabaseWithUrl(t)
  const variables = {
    DATA_DIR: await aFolder(t),
    REPLY_ADDRESS: 'reply@forum.example',
    BASE_URL: 'http://x.example',
  }
  const receive = (more: Record<string, string>) => {
    const env = { ...process.env, ...variables, ...more }
    const args = [join(import.meta.dirname, 'main.ts'), 'mail', 'receive']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      env,
      input: MAIL,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const away = receive({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  assert.equal(away.status, 75)
  assert.match(away.stderr, /^handup: DATABASE_URL does not answer: .*\n$/)
  const received = receive({ DATABASE_URL: url })
  assert.deepEqual([received.status, received.stdout], [0, 'unknown\n'], received.stderr)
})
