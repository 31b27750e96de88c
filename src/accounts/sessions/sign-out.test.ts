import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { anOwner, isSignedIn, waysInto } from '../testing.ts'

suite('signing out', () => {
  const forum = sharedForum()

  test('ends the session on the server', async () => {
    const owner = await anOwner(forum.db)
    const browser = await signedIn(forum.app, owner)
    const stolen = new Map(browser.cookies)
    const { statusCode, headers } = await browser.post('/sign-out')
    assert.deepEqual([statusCode, headers.location], [303, '/'])
    assert.match(String(headers['clear-site-data']), /"cache"/)
    assert.equal((await waysInto(forum.db, owner)).sessions, 0)
    for (const [name, value] of stolen) browser.cookies.set(name, value)
    assert.ok(!(await isSignedIn(browser)))
  })

  test('leads home when the session has ended by itself', async () => {
    const owner = await anOwner(forum.db)
    const browser = await signedIn(forum.app, owner)
    const token = await browser.token()
    await forum.db.deleteFrom('sessions').where('person_id', '=', owner.id).execute()
    const { statusCode, headers } = await browser.post('/sign-out', {}, { token })
    assert.deepEqual([statusCode, headers.location], [303, '/'])
  })
})
