import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { aPerson } from '../../testing/people.ts'
import { aForum } from '../testing.ts'
import { deviceOf } from './session-list.ts'
import { beginSession } from './sessions.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

suite('one’s sessions', () => {
  test('are listed, this one marked and first, and ended one by one', async (t) => {
    const { app, db, person } = await aForum(t)
    await beginSession(db, person.id, FIREFOX)
    await beginSession(db, person.id, SAFARI)
    await beginSession(db, (await aPerson(db)).id, 'curl/8.0')
    const browser = await signedIn(app, person)
    assert.match((await browser.get('/settings')).body, /href="\/settings\/security"/)
    const page = await browser.get('/settings/security')
    const text = textOf(page.body)
    assert.match(text, /Unknown browser This device .*Safari on iOS Last seen \d+ \w{3} \d{4}, /)
    assert.match(text, /Firefox on Windows/)
    assert.doesNotMatch(text, /curl/i)

    const ends = [...page.body.matchAll(/action="(\/settings\/sessions\/[\w-]+\/delete)"/g)]
    assert.equal(ends.length, 2)
    const answer = await browser.post(ends[0]?.[1] ?? '')
    assert.equal(answer.headers.location, '/settings/security#devices')
    assert.doesNotMatch(textOf((await browser.follow(answer)).body), /Safari on iOS/)
    assert.equal((await browser.post(ends[0]?.[1] ?? '')).statusCode, 404)
  })

  test('but this one are ended all at once', async (t) => {
    const { app, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const others = [await signedIn(app, person), await signedIn(app, person)]
    const answer = await browser.post('/settings/sessions/delete-others')
    assert.equal((await browser.follow(answer)).statusCode, 200)
    assert.doesNotMatch((await browser.get('/settings/security')).body, /delete-others/)
    for (const other of others) assert.equal((await other.get('/settings')).statusCode, 303)
  })

  test('are nobody else’s to see or to end', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    await beginSession(db, person.id, FIREFOX)
    const end = /action="(\/settings\/sessions\/[\w-]+\/delete)"/.exec(
      (await browser.get('/settings/security')).body,
    )?.[1]
    const stranger = await signedIn(app, await aPerson(db))
    assert.equal((await stranger.post(end ?? '')).statusCode, 404)
    for (const name of ['x', '%00', 'A'.repeat(5000)])
      assert.equal((await stranger.post(`/settings/sessions/${name}/delete`)).statusCode, 404)
    assert.equal((await visitor(app).get('/settings/security')).statusCode, 303)
    assert.equal((await visitor(app).post(end ?? '')).statusCode, 303)
    assert.match((await browser.get('/settings/security')).body, /Firefox/)
  })

  test('show no token, and no markup that a browser sends', async (t) => {
    const { app, db, person } = await aForum(t)
    const token = await beginSession(db, person.id, '<script>alert(1)</script> Firefox/1')
    const page = await (await signedIn(app, person)).get('/settings/security')
    assert.ok(!page.body.includes(token))
    assert.doesNotMatch(page.body, /<script>alert/)
  })
})

test('a device is named by what its browser says, whatever that is', () => {
  assert.deepEqual(deviceOf(FIREFOX), { browser: 'Firefox', system: 'Windows' })
  assert.deepEqual(deviceOf(SAFARI), { browser: 'Safari', system: 'iOS' })
  for (const strange of ['', ' ', 'x'.repeat(300), '((((', '\u202E', 'Mozilla/5.0']) deviceOf(strange)
  assert.equal(deviceOf(''), null)
})
