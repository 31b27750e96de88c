import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refusalOf } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { hashToken } from '../../web/tokens.ts'
import { anOwner, inSession, waysInto } from '../testing.ts'
import { deviceOf, sessionEnd } from './session-list.ts'
import { beginSession } from './sessions.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

suite('one’s sessions', () => {
  const forum = sharedForum()

  test('are listed without their tokens, this one marked and first, and ended one by one', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    await beginSession(db, owner.id, FIREFOX)
    await beginSession(db, owner.id, SAFARI)
    const token = await beginSession(db, owner.id, '<script>alert(1)</script> Firefox/1')
    await beginSession(db, (await anOwner(db)).id, 'curl/8.0')
    const browser = await signedIn(app, owner)
    assert.match((await browser.get('/settings')).body, /href="\/settings\/security"/)
    const page = await browser.get('/settings/security')
    const text = textOf(page.body)
    assert.match(text, /Unknown browser This device .*Safari on iOS Last seen \d+ \w{3} \d{4}, /)
    assert.match(text, /Firefox on Windows/)
    assert.doesNotMatch(text, /curl/i)
    assert.ok(!page.body.includes(token))
    assert.doesNotMatch(page.body, /<script>alert/)

    const ends = [...page.body.matchAll(/action="(\/settings\/sessions\/[\w-]+\/delete)"/g)]
    assert.equal(ends.length, 3)
    const answer = await browser.post(ends[1]?.[1] ?? '')
    assert.equal(answer.headers.location, '/settings/security#devices')
    assert.doesNotMatch(textOf((await browser.follow(answer)).body), /Safari on iOS/)
  })

  test('but this one are ended all at once', async () => {
    const owner = await anOwner(forum.db)
    const browser = await signedIn(forum.app, owner)
    for (let others = 0; others < 2; others += 1) await inSession(forum.db, owner)
    const page = await browser.follow(await browser.post('/settings/sessions/delete-others'))
    assert.equal(page.statusCode, 200)
    assert.doesNotMatch(page.body, /delete-others/)
    assert.equal((await waysInto(forum.db, owner)).sessions, 1)
  })

  test('are nobody else’s to end, by whatever name', async () => {
    const { db } = forum
    const owner = await anOwner(db)
    const { actor, key } = await inSession(db, await anOwner(db))
    const theirs = hashToken(await beginSession(db, owner.id, FIREFOX)).toString('base64url')
    for (const name of [theirs, 'x', '\0', 'A'.repeat(5000)])
      assert.equal(await refusalOf(forum, sessionEnd, { actor, key: { ...key, name } }), 'notFound')
    assert.equal((await waysInto(db, owner)).sessions, 1)
  })
})

test('a device is named by what its browser says, whatever that is', () => {
  assert.deepEqual(deviceOf(FIREFOX), { browser: 'Firefox', system: 'Windows' })
  assert.deepEqual(deviceOf(SAFARI), { browser: 'Safari', system: 'iOS' })
  for (const strange of ['', ' ', 'x'.repeat(300), '((((', '\u202E', 'Mozilla/5.0']) deviceOf(strange)
  assert.equal(deviceOf(''), null)
})
