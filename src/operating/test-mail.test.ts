import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFolder } from '../database/embedded/testing.ts'
import { aMailServer } from '../mail/testing.ts'
import { testApp } from '../testing/app.ts'
import { signedIn } from '../testing/browser.ts'
import { testDatabase } from '../testing/database.ts'
import { textOf } from '../testing/page.ts'
import { aPerson } from '../testing/people.ts'
import { valuesOf } from '../testing/rows.ts'
import { handupHere } from '../tools/cli/testing.ts'

test('an admin sends a test email, and reads what the mail server answered', async (t) => {
  const [db, server] = [await testDatabase(t), await aMailServer(t)]
  const app = await testApp(t, db, { smtpUrl: server.url, replyAddress: 'reply@forum.example' })
  const admin = await aPerson(db, { isAdmin: true })
  const browser = await signedIn(app, admin)
  assert.match((await browser.get('/admin')).body, new RegExp(`value="${admin.email}"`))
  const sent = await browser.post('/admin/test-mail', { email: 'me@example.org' })
  assert.match(textOf(sent.body), /127\.0\.0\.1:\d+ accepted the email: 250 /)
  assert.deepEqual(valuesOf(server.arrived, 'to'), [['me@example.org']])
  assert.match(server.arrived[0]?.from ?? '', /^reply\+b0-[0-9a-f]{20}@forum\.example$/)

  server.refuseWith = { code: 550, text: '5.7.1 Relaying denied', at: 'message' }
  const refused = await browser.post('/admin/test-mail', { email: 'me@example.org' })
  assert.match(textOf(refused.body), /didn’t accept the email: .*Relaying denied/)
  const wrong = await browser.post('/admin/test-mail', { email: 'me at example' })
  assert.equal(wrong.statusCode, 422)
  assert.match(wrong.body, /value="me at example"/)
  assert.equal(server.arrived.length, 1)
})

test('handup mail test sends one without a database, and fails with the reason', async (t) => {
  const server = await aMailServer(t)
  const variables = { DATA_DIR: await aFolder(t), SMTP_URL: server.url }
  const sent = await handupHere(variables, 'mail', 'test', 'me@example.org')
  assert.equal(sent.code, 0, sent.output)
  assert.match(sent.output, /accepted the email: 250 /)
  assert.deepEqual(server.arrived[0]?.to, ['me@example.org'])
  server.refuseWith = { code: 450, text: '4.7.1 Greylisted', at: 'recipient' }
  const refused = await handupHere(variables, 'mail', 'test', 'me@example.org')
  assert.deepEqual([refused.code, /did not accept the email: .*Greylisted/.test(refused.output)], [1, true])
  const none = await handupHere({ DATA_DIR: variables.DATA_DIR }, 'mail', 'test', 'me@example.org')
  assert.match(none.output, /SMTP_URL is not set/)
})
