import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../testing/app.ts'
import type { Ending } from '../../testing/at-end.ts'
import { visitor } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { makeSignInLink } from '../sign-in/links.ts'

const PATH = '/settings/account/delete'

/** Somebody without a password who has just signed in with a link. */
async function byLink(t: Ending) {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const person = await aPerson(db, { displayName: 'Mina Kim' })
  const browser = visitor(app)
  const link = new URL(await makeSignInLink(db, person.id, app.config.baseUrl))
  await browser.post('/sign-in/link', { token: link.searchParams.get('token') ?? '' })
  return { db, person, browser }
}

suite('deleting an account without a password', () => {
  test('asks for the name, typed', async (t) => {
    const { browser } = await byLink(t)
    assert.match(textOf((await browser.get('/settings/account')).body), /Enter your name .*: Mina Kim/)
    for (const display_name of ['', 'Mina', 'mina kim']) {
      const refused = await browser.post(PATH, { posts: 'keep', display_name })
      assert.equal(refused.statusCode, 422, display_name)
      assert.match(refused.body, /href="#display_name"/)
    }
    assert.equal((await browser.post(PATH, { posts: 'keep' })).statusCode, 422)
    const left = await browser.post(PATH, { posts: 'keep', display_name: ' Mina  Kim ' })
    assert.equal(left.headers.location, '/')
    assert.equal((await browser.get('/settings')).statusCode, 303)
  })

  test('needs a sign-in of the last quarter of an hour', async (t) => {
    const { db, browser } = await byLink(t)
    await db.updateTable('sessions').set({ proved_at: sql`now() - interval '16 minutes'` }).execute()
    assert.match(textOf((await browser.get('/settings/account')).body), /sign in again with a passkey/)
    const refused = await browser.post(PATH, { posts: 'keep', display_name: 'Mina Kim' })
    assert.equal(refused.statusCode, 422)
    assert.equal((await browser.get('/settings')).statusCode, 200)
    await db.updateTable('sessions').set({ proof: 'passkey', proved_at: new Date() }).execute()
    assert.equal((await browser.post(PATH, { posts: 'keep', display_name: 'Mina Kim' })).statusCode, 303)
  })
})
