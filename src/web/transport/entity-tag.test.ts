import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { aForum } from '../../testing/forum.ts'
import { isKnownTag } from './entity-tag.ts'

test('entity tags are compared weakly, one of several, or any', () => {
  assert.ok(isKnownTag('"b", W/"a"', '"a"'))
  assert.ok(isKnownTag('"a"', 'W/"a"'))
  assert.ok(isKnownTag('*', '"a"'))
  assert.ok(!isKnownTag('"b"', '"a"'))
  assert.ok(!isKnownTag(undefined, '"a"'))
})

test('what browsers may store has a tag and is not sent twice; a page of one person has none', async (t) => {
  const { app, db } = await aForum(t)
  await aQuestion(db)
  const reader = visitor(app)
  const { etag } = (await reader.get('/feed.atom')).headers
  const again = await reader.get('/feed.atom', { 'if-none-match': `"another", ${etag}` })
  assert.equal(again.statusCode, 304)
  assert.equal(again.body, '')
  assert.equal(again.headers.etag, etag)
  const person = await signedIn(app, await aPerson(db))
  assert.equal((await person.get('/questions')).headers.etag, undefined)
})
