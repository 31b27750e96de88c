import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from './app.ts'
import { signedIn, visitor } from './browser.ts'
import { aPerson } from './builders.ts'
import { testDatabase } from './database.ts'

test('somebody signed in is known on each page and can sign out', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const mina = await signedIn(app, await aPerson(db, { displayName: 'Mina' }))
  assert.match((await mina.get('/')).body, /Mina/)

  const answer = await mina.post('/sign-out')

  assert.equal(answer.statusCode, 303)
  assert.doesNotMatch((await mina.follow(answer)).body, /Mina/)
  assert.equal(mina.cookies.has('session'), false)
})

test('a post without its token, with a wrong one, or from another site is refused', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const mina = await signedIn(app, await aPerson(db))
  const token = await mina.token()

  for (const options of [
    { token: null },
    { token: `${token}x` },
    { token, origin: 'https://evil.example' },
  ]) {
    const answer = await mina.post('/sign-out', {}, options)
    assert.equal(answer.statusCode, 403, JSON.stringify(options))
  }
})

test('a visitor can send raw bytes and repeated fields', async (t) => {
  const app = await testApp(t, await testDatabase(t))
  const somebody = visitor(app)

  const cut = await somebody.post('/sign-in', {}, { raw: '%E0%A4%A', token: null })
  const twice = await somebody.post('/sign-in', { email: ['a@example.com', 'b@example.com'], password: 'x' })

  assert.equal(cut.statusCode, 400)
  assert.equal(twice.statusCode, 422)
})
