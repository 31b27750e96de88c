import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson } from '../../testing/people.ts'
import { GUESSES } from '../identity/guesses.ts'
import { makeSignInLink } from '../sign-in/links.ts'
import { aForum, PASSWORD } from '../testing.ts'

const NEW = 'a row of seven green bottles'

suite('changing the password', () => {
  test('needs the current one and ends every other session', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const elsewhere = await signedIn(app, person)
    const before = browser.cookies.get('session')
    const wrong = await browser.post('/settings/password', {
      current_password: 'not this one',
      password: NEW,
    })
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /href="#current_password"/)
    assert.doesNotMatch(wrong.body, /seven green bottles/)

    const answer = await browser.post('/settings/password', { current_password: PASSWORD, password: NEW })
    assert.equal(answer.statusCode, 303)
    assert.equal((await browser.follow(answer)).statusCode, 200)
    assert.notEqual(browser.cookies.get('session'), before)
    assert.equal((await elsewhere.get('/settings')).statusCode, 303)
    assert.equal((await db.selectFrom('sessions').selectAll().execute()).length, 1)
    assert.equal(
      (await visitor(app).post('/sign-in', { email: person.email, password: PASSWORD })).statusCode,
      422,
    )
    assert.equal(
      (await visitor(app).post('/sign-in', { email: person.email, password: NEW })).statusCode,
      303,
    )
  })

  test('refuses a weak one', async (t) => {
    const { app, person } = await aForum(t)
    const browser = await signedIn(app, person)
    for (const password of ['password1', person.email, 'short']) {
      const answer = await browser.post('/settings/password', { current_password: PASSWORD, password })
      assert.equal(answer.statusCode, 422, password)
      assert.match(answer.body, /href="#password"/)
    }
  })

  test('is no way to guess the current one', async (t) => {
    const { app, person } = await aForum(t)
    const browser = await signedIn(app, person)
    for (let tries = 0; tries < GUESSES.max; tries += 1) {
      assert.equal(
        (await browser.post('/settings/password', { current_password: 'wrong', password: NEW })).statusCode,
        422,
      )
    }
    const answer = await browser.post('/settings/password', { current_password: PASSWORD, password: NEW })
    assert.equal(answer.statusCode, 429)
    assert.ok(Number(answer.headers['retry-after']) > 0)
  })

  test('needs no current one in the hour after a sign-in link, which is how a forgotten one is replaced', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = visitor(app)
    const link = await makeSignInLink(db, person.id, 'http://localhost:3000')
    await browser.post('/sign-in/link', { token: new URL(link).searchParams.get('token') ?? '' })
    assert.doesNotMatch((await browser.get('/settings')).body, /name="current_password"/)

    // Another session of the same person, begun with the password in the same minute, still has to know it.
    const other = visitor(app)
    await other.post('/sign-in', { email: person.email, password: PASSWORD })
    assert.equal((await other.post('/settings/password', { password: NEW })).statusCode, 422)
    const since = (minutes: number) =>
      db
        .updateTable('sessions')
        .set({ proved_at: sql`now() - make_interval(mins => ${minutes})` })
        .where('proof', '=', 'link')
        .execute()
    await since(61)
    assert.equal((await browser.post('/settings/password', { password: NEW })).statusCode, 422)
    await since(59)

    assert.equal((await browser.post('/settings/password', { password: NEW })).statusCode, 303)
    assert.match((await browser.get('/settings')).body, /name="current_password"/)
  })

  test('without a password and without a fresh link says how to get one', async (t) => {
    const { app, db } = await aForum(t)
    const linked = await aPerson(db)
    const browser = await signedIn(app, linked)
    assert.match((await browser.get('/settings')).body, /To set one, get a link/)
    assert.equal((await browser.post('/settings/password', { password: NEW })).statusCode, 403)
  })
})
