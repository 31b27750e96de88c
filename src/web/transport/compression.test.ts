import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { questionPath } from '../paths.ts'
import { isKnownTag } from './entity-tag.ts'

const unpack = { br: brotliDecompressSync, gzip: gunzipSync }

suite('compression', () => {
  const forum = sharedForum()

  test('pages of somebody signed in come compressed as their browser takes it', async () => {
    const question = await aQuestion(forum.db)
    const browser = await signedIn(forum.app, await aPerson(forum.db))
    for (const encoding of ['br', 'gzip'] as const) {
      const page = await browser.get(questionPath(question), { 'accept-encoding': `deflate, ${encoding}` })
      assert.equal(page.headers['content-encoding'], encoding)
      assert.match(String(page.headers.vary), /accept-encoding/)
      assert.equal(page.headers['content-length'], String(page.rawPayload.length))
      assert.match(unpack[encoding](page.rawPayload).toString(), /^<!doctype html>[\s\S]*<\/html>\s*$/)
    }
    const plain = await browser.get(questionPath(question), { 'accept-encoding': 'identity' })
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.match(plain.body, /<\/html>/)
  })

  test('a feed that has not changed since is not sent again, compressed or not; a page of one person has no tag', async () => {
    for (let number = 0; number < 3; number += 1) await aQuestion(forum.db)
    const reader = visitor(forum.app)
    for (const encoding of ['gzip', undefined]) {
      const headers = { 'accept-encoding': encoding ?? 'identity' }
      const feed = await reader.get('/feed.atom', headers)
      assert.equal(feed.headers['content-encoding'], encoding)
      const [, weak, tag] = /^(W\/)?("[^"]+")$/.exec(String(feed.headers.etag)) ?? []
      assert.equal(weak, encoding && 'W/')
      const known = { ...headers, 'if-none-match': `"another", ${feed.headers.etag}` }
      const again = await reader.get('/feed.atom', known)
      assert.deepEqual([again.statusCode, again.rawPayload.length], [304, 0])
      assert.equal(again.headers.etag, tag)
    }
    const person = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await person.get('/questions')).headers.etag, undefined)
  })

  test('what is compressed already, and what is short, stays as it is', async () => {
    const reader = visitor(forum.app)
    const css = /(?<=href=")\/assets\/main[^"]+/.exec((await reader.get('/')).body)?.[0] ?? ''
    const sheet = await reader.get(css, { 'accept-encoding': 'br' })
    assert.match(brotliDecompressSync(sheet.rawPayload).toString(), /\.question-row/)
    const short = await reader.get('/healthz', { 'accept-encoding': 'br' })
    assert.equal(short.headers['content-encoding'], undefined)
  })
})

test('entity tags are compared weakly, one of several, or any', () => {
  assert.ok(isKnownTag('"b", W/"a"', '"a"'))
  assert.ok(isKnownTag('"a"', 'W/"a"'))
  assert.ok(isKnownTag('*', '"a"'))
  assert.ok(!isKnownTag('"b"', '"a"'))
  assert.ok(!isKnownTag(undefined, '"a"'))
})
