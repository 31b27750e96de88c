import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFolder } from '../database/embedded/testing.ts'
import { HttpBrowser } from '../operating/start/browser-testing.ts'
import { startInProcess } from '../operating/start/testing.ts'
import { testDatabaseWithUrl } from '../testing/database.ts'
import { aPerson } from '../testing/people.ts'
import { aMailServer } from './testing.ts'

test('a forum killed while its mail server was away sends what was asked for, once, when both are back', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const server = await aMailServer(t)
  const person = await aPerson(db)
  const variables = {
    ...{ DATABASE_URL: url, DATA_DIR: await aFolder(t), LOG_LEVEL: 'info' },
    ...{ SMTP_URL: server.url, MAIL_FROM: 'forum@example.org' },
  }
  await server.goAway()
  const killed = await startInProcess(t, variables)
  await killed.ready()
  const browser = new HttpBrowser(killed.url)
  const _csrf = await browser.token('/forgotten-password')
  const asked = await browser.post('/forgotten-password', { _csrf, email: person.email })
  assert.equal(asked.status, 303)
  const failed = await killed.line(/"event":"job-failed"/)
  assert.ok(!failed.includes(person.email), 'the log has no addresses')
  killed.kill('SIGKILL')
  await killed.ended
  // On a slow machine its next attempt may have begun: others would then wait for two minutes.
  await db.updateTable('jobs').set({ due_at: new Date() }).execute()

  await server.comeBack()
  const next = await startInProcess(t, variables)
  await next.line(/"event":"mail-sent"/)
  next.kill('SIGTERM')
  assert.deepEqual(await next.ended, { code: 0, signal: null })
  assert.equal(server.arrived.length, 1)
  const [mail] = server.arrived
  assert.deepEqual([mail?.from, mail?.to], ['forum@example.org', [person.email]])
  assert.equal((await db.selectFrom('mails').selectAll().where('sent_at', 'is', null).execute()).length, 0)
})
