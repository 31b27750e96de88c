import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { anOwner, isSignedIn, signInToken, waysInto } from '../testing.ts'
import { makeSignInLink } from './links.ts'

suite('a one-time sign-in link', () => {
  const forum = sharedForum()

  test('opened changes nothing; its button signs in', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const link = await makeSignInLink(db, owner.id, app.config.baseUrl)
    const [path = '', token = ''] = /\/sign-in\/link\?token=([\w-]{43})$/.exec(link) ?? []
    const browser = visitor(app)
    for (let opened = 0; opened < 3; opened += 1) {
      const page = await browser.get(path)
      assert.equal(page.statusCode, 200)
      assert.match(page.body, new RegExp(owner.displayName))
      assert.equal(page.headers['referrer-policy'], 'same-origin')
    }
    assert.equal((await waysInto(db, owner)).sessions, 0)
    const answer = await browser.post('/sign-in/link', { token }, { page: path })
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/'])
    assert.ok(await isSignedIn(browser))
    assert.match((await visitor(app).get(path)).body, /Ask for a new link/, 'once')
  })

  test('takes the place of the session this browser had', async () => {
    const owner = await anOwner(forum.db)
    const browser = await signedIn(forum.app, owner)
    const token = await signInToken(forum.db, owner)
    assert.equal((await browser.post('/sign-in/link', { token })).statusCode, 303)
    assert.equal((await waysInto(forum.db, owner)).sessions, 1)
  })

  test('that gives an account to its owner leads to the settings', async () => {
    const owner = await anOwner(forum.db, { isConfirmed: false })
    const browser = visitor(forum.app)
    const entered = await browser.post('/sign-in/link', { token: await signInToken(forum.db, owner) })
    assert.equal(entered.headers.location, '/settings')
    assert.ok(await isSignedIn(browser))
  })
})
