import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aForum } from '../testing.ts'

suite('signing out', () => {
  test('ends the session on the server', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const stolen = new Map(browser.cookies)
    const answer = await browser.post('/sign-out')

    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, '/')
    assert.match(String(answer.headers['clear-site-data']), /"cache"/)
    assert.deepEqual(await db.selectFrom('sessions').selectAll().execute(), [])
    const again = await app.inject({ url: '/settings', cookies: Object.fromEntries(stolen) })
    assert.equal(again.statusCode, 303)
  })

  test('leads home when the session has ended by itself', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const token = await browser.token('/settings')
    await db.deleteFrom('sessions').execute()
    const answer = await browser.post('/sign-out', {}, { token })

    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, '/')
  })

  test('needs the form of one’s own page', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    assert.equal((await browser.post('/sign-out', {}, { token: null })).statusCode, 403)
    assert.equal((await browser.post('/sign-out', {}, { origin: 'https://evil.example' })).statusCode, 403)
    assert.equal((await db.selectFrom('sessions').selectAll().execute()).length, 1)
  })
})
