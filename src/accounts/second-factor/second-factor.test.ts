import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import { type Browser, visitor } from '../../testing/browser.ts'
import { GUESSES } from '../identity/guesses.ts'
import { halfSignIns } from '../sessions/half-sign-ins.ts'
import { makeSignInLink } from '../sign-in/links.ts'
import { aForum, linkTo, PASSWORD } from '../testing.ts'
import { anApp } from './testing.ts'

const isSignedIn = async (browser: Browser) => (await browser.get('/settings')).statusCode === 200

suite('signing in with a second factor', () => {
  test('is asked for after the password, and nobody is signed in before it', async (t) => {
    const { app, person } = await aForum(t)
    const { code } = await anApp(app, person)
    const browser = visitor(app)
    const half = await browser.post('/sign-in', { ...signIn(person), next: '/tags' })
    assert.equal(half.headers.location, '/sign-in/code')
    assert.ok(!(await isSignedIn(browser)))
    const wrong = await browser.post('/sign-in/code', { code: '000000' })
    assert.equal(wrong.statusCode, 422)
    assert.doesNotMatch(wrong.body, /000000/)
    const right = await browser.post('/sign-in/code', { code: ` ${code().slice(0, 3)} ${code().slice(3)}` })
    assert.equal(right.headers.location, '/tags')
    assert.ok(await isSignedIn(browser))
    assert.equal((await browser.get('/sign-in/code')).headers.location, '/sign-in', 'the step is over')
  })

  test('takes each code once, however many send it at the same moment', async (t) => {
    const { app, person } = await aForum(t)
    const { code, recoveryCodes } = await anApp(app, person)
    for (const once of [code(), recoveryCodes[0]?.toUpperCase().replaceAll('-', ' ') ?? '']) {
      const browsers = await Promise.all([1, 2, 3].map(() => halfIn(person)))
      const answers = await Promise.all(
        browsers.map((browser) => browser.post('/sign-in/code', { code: once })),
      )
      assert.equal(answers.filter(({ statusCode }) => statusCode === 303).length, 1, once)
      const again = await (await halfIn(person)).post('/sign-in/code', { code: once })
      assert.equal(again.statusCode, 422)
    }

    async function halfIn(who: { email: string }) {
      const browser = visitor(app)
      await browser.post('/sign-in', signIn(who))
      return browser
    }
  })

  test('is not skipped by a sign-in link, a sign-up with one’s password, or a new password', async (t) => {
    const { app, db, person } = await aForum(t)
    await db.updateTable('people').set({ email_confirmed_at: new Date() }).execute()
    await anApp(app, person)
    const token = new URL(await makeSignInLink(db, person.id, 'http://localhost:3000')).searchParams.get(
      'token',
    )
    const ways = [
      await visitor(app).post('/sign-in/link', { token: token ?? '' }),
      await visitor(app).post('/sign-up', { ...signIn(person), display_name: 'x' }),
    ]
    for (const way of ways) assert.equal(way.headers.location, '/sign-in/code')
    await visitor(app).post('/forgotten-password', { email: person.email })
    const password = 'a row of seven green bottles'
    const browser = visitor(app)
    await browser.post('/new-password', { token: (await linkTo(db, person.email)).token, password })
    assert.ok(!(await isSignedIn(browser)))
    const half = await browser.post('/sign-in', { email: person.email, password })
    assert.equal(half.headers.location, '/sign-in/code')
  })

  test('belongs to a link as to a password: without the code no session has shown it', async (t) => {
    const { app, db, person } = await aForum(t)
    const { code } = await anApp(app, person)
    const [linked, owner] = [visitor(app), visitor(app)]
    const link = new URL(await makeSignInLink(db, person.id, 'http://localhost:3000'))
    await linked.post('/sign-in/link', { token: link.searchParams.get('token') ?? '' })
    await owner.post('/sign-in', signIn(person))
    await owner.post('/sign-in/code', { code: code() })
    assert.ok(await isSignedIn(owner))
    const turnedOff = await owner.post('/settings/second-factor/delete')
    assert.equal(
      turnedOff.statusCode,
      422,
      'a password was their way in, although a link was used just before',
    )
    // However long the code took.
    await db.updateTable('sign_in_links').set({ used_at: sql`used_at - interval '9 minutes'` }).execute()
    await linked.post('/sign-in/code', { code: code(1) })
    assert.match((await linked.get('/settings/security')).body, /Turn off/)
    assert.doesNotMatch((await linked.get('/settings/security')).body, /name="current_password"/)
  })

  test('lets codes be guessed five times a password, and ten times in all', async (t) => {
    const { app, person } = await aForum(t)
    const { code } = await anApp(app, person)
    const browser = visitor(app)
    for (let round = 0; round < GUESSES.max / 5; round += 1) {
      await browser.post('/sign-in', signIn(person))
      const token = await browser.token('/sign-in/code')
      const tries = await Promise.all(
        Array.from({ length: 5 }, () => browser.post('/sign-in/code', { code: '12345x' }, { token })),
      )
      for (const wrong of tries) assert.equal(wrong.statusCode, 422)
      assert.equal((await browser.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    }
    await browser.post('/sign-in', signIn(person))
    const limited = await browser.post('/sign-in/code', { code: code() })
    assert.equal(limited.statusCode, 429)
    assert.ok(Number(limited.headers['retry-after']) > 0)
  })

  test('waits ten minutes for the code, and not beyond a change of the password', async (t) => {
    const { app, db, person } = await aForum(t)
    const { code, browser: owner } = await anApp(app, person)
    const [slow, overtaken] = [visitor(app), visitor(app)]
    await slow.post('/sign-in', signIn(person))
    await db.updateTable('half_sign_ins').set({ begun_at: sql`now() - interval '601 seconds'` }).execute()
    assert.equal((await slow.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    assert.equal(await sweepTable(db, halfSignIns), 1)
    await overtaken.post('/sign-in', signIn(person))
    const password = 'a row of seven green bottles'
    await owner.post('/settings/password', { current_password: PASSWORD, password })
    assert.equal((await overtaken.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    for (const token of ['', 'made-up'])
      assert.equal((await visitor(app).post('/sign-in/code', { code: token })).statusCode, 303)
  })
})

function signIn({ email }: { readonly email: string }) {
  return { email, password: PASSWORD }
}
