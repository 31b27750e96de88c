import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { signedIn } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { isSignedIn } from '../testing.ts'

const PATH = '/settings/account/delete'

suite('deleting an account without a password', () => {
  const forum = sharedForum()
  const byLink = async () =>
    signedIn(forum.app, await aPerson(forum.db, { displayName: 'Mina Kim' }), ['link'])

  test('asks for the name, typed', async () => {
    const browser = await byLink()
    assert.match(textOf((await browser.get('/settings/account')).body), /Enter your name .*: Mina Kim/)
    for (const display_name of ['', 'Mina', 'mina kim']) {
      const refused = await browser.post(PATH, { posts: 'keep', display_name })
      assert.equal(refused.statusCode, 422, display_name)
      assert.match(refused.body, /href="#display_name"/)
    }
    assert.equal((await browser.post(PATH, { posts: 'keep' })).statusCode, 422)
    const left = await browser.post(PATH, { posts: 'keep', display_name: ' Mina  Kim ' })
    assert.equal(left.headers.location, '/')
    assert.ok(!(await isSignedIn(browser)))
  })

  test('needs a sign-in of the last quarter of an hour', async () => {
    const [browser, { db }] = [await byLink(), forum]
    await db.updateTable('sessions').set({ proved_at: sql`now() - interval '16 minutes'` }).execute()
    assert.match(textOf((await browser.get('/settings/account')).body), /sign in again with a passkey/)
    const refused = await browser.post(PATH, { posts: 'keep', display_name: 'Mina Kim' })
    assert.equal(refused.statusCode, 422)
    assert.ok(await isSignedIn(browser))
    await db.updateTable('sessions').set({ proof: 'passkey', proved_at: new Date() }).execute()
    assert.equal((await browser.post(PATH, { posts: 'keep', display_name: 'Mina Kim' })).statusCode, 303)
  })
})
