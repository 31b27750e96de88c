import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aForum } from '../testing.ts'
import { makeSignInLink, signInLinks } from './links.ts'

const BASE = 'http://localhost:3000'

suite('a one-time sign-in link', () => {
  test('opened changes nothing; its button signs in', async (t) => {
    const { app, db, person } = await aForum(t)
    const link = await makeSignInLink(db, person.id, BASE)
    const path = link.slice(BASE.length)
    const browser = visitor(app)
    for (let opened = 0; opened < 3; opened += 1) {
      const page = await browser.get(path)
      assert.equal(page.statusCode, 200)
      assert.match(page.body, new RegExp(person.displayName))
      assert.match(String(page.headers['cache-control']), /no-store/)
      assert.equal(page.headers['referrer-policy'], 'same-origin')
    }
    assert.deepEqual(await db.selectFrom('sessions').selectAll().execute(), [])

    const answer = await browser.post('/sign-in/link', { token: tokenOf(link) }, { page: path })
    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, '/')
    assert.equal((await browser.get('/settings')).statusCode, 200)
  })

  test('has 256 random bits, of which the database keeps only a hash', async (t) => {
    const { db, person } = await aForum(t)
    const link = await makeSignInLink(db, person.id, BASE)
    assert.match(link, /^http:\/\/localhost:3000\/sign-in\/link\?token=[\w-]{43}$/)
    const rows = await db.selectFrom('sign_in_links').selectAll().execute()
    assert.equal(rows.length, 1)
    assert.ok(!JSON.stringify(rows).includes(tokenOf(link)))
    const minutes = ((rows[0]?.expires_at.getTime() ?? 0) - Date.now()) / 60_000
    assert.ok(minutes > 59 && minutes <= 60.1, `${minutes} minutes`)
  })

  test('signs in once, however many press at the same moment', async (t) => {
    const { app, db, person } = await aForum(t)
    const link = await makeSignInLink(db, person.id, BASE)
    const browsers = Array.from({ length: 20 }, () => visitor(app))
    const answers = await Promise.all(
      browsers.map((browser) => browser.post('/sign-in/link', { token: tokenOf(link) })),
    )

    assert.equal(answers.filter((answer) => answer.statusCode === 303).length, 1)
    assert.equal(answers.filter((answer) => answer.statusCode === 410).length, 19)
    assert.equal((await db.selectFrom('sessions').selectAll().execute()).length, 1)
  })

  test('that is used, too old, made up or missing says so and what to do', async (t) => {
    const { app, db, person } = await aForum(t)
    const used = tokenOf(await makeSignInLink(db, person.id, BASE))
    await visitor(app).post('/sign-in/link', { token: used })
    const old = tokenOf(await makeSignInLink(db, person.id, BASE))
    await db
      .updateTable('sign_in_links')
      .set({ expires_at: sql`now() - interval '1 second'` })
      .where('used_at', 'is', null)
      .execute()

    for (const query of [
      `?token=${used}`,
      `?token=${old}`,
      '?token=made-up',
      '?token=%00',
      '?token=a&token=b',
      '?token=',
      '',
    ]) {
      const page = await visitor(app).get(`/sign-in/link${query}`)
      assert.equal(page.statusCode, 410, query)
      assert.match(page.body, /This link doesn’t work/, query)
      assert.match(page.body, /Ask for a new link/, query)
    }
    for (const token of [used, old, 'made-up', '', '\0', 'x'.repeat(5000)]) {
      const answer = await visitor(app).post('/sign-in/link', { token })
      assert.equal(answer.statusCode, 410, token.slice(0, 20))
    }
    assert.equal((await visitor(app).post('/sign-in/link', {})).statusCode, 410)
  })

  test('takes the place of the session this browser had', async (t) => {
    const { app, db, person } = await aForum(t)
    const link = await makeSignInLink(db, person.id, BASE)
    const browser = await signedIn(app, person)
    assert.equal((await browser.post('/sign-in/link', { token: tokenOf(link) })).statusCode, 303)
    assert.equal((await db.selectFrom('sessions').selectAll().execute()).length, 1)
  })

  test('ends with a change of the password, and is swept a day after its end', async (t) => {
    const { app, db, person } = await aForum(t)
    const used = tokenOf(await makeSignInLink(db, person.id, BASE))
    const kept = tokenOf(await makeSignInLink(db, person.id, BASE))
    const browser = visitor(app)
    await browser.post('/sign-in/link', { token: used })
    await browser.post('/settings/password', { password: 'a row of seven green bottles' })
    assert.equal((await visitor(app).post('/sign-in/link', { token: kept })).statusCode, 410)

    await makeSignInLink(db, person.id, BASE)
    assert.equal(await sweepTable(db, signInLinks), 0)
    await db.updateTable('sign_in_links').set({ expires_at: sql`now() - interval '25 hours'` }).execute()
    assert.equal(await sweepTable(db, signInLinks), 1)
  })
})

function tokenOf(link: string): string {
  return new URL(link).searchParams.get('token') ?? ''
}
