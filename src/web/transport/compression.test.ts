import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { questionPath } from '../paths.ts'

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

  test('a feed that has not changed since is not sent again, compressed or not', async () => {
    for (let number = 0; number < 3; number += 1) await aQuestion(forum.db)
    const reader = visitor(forum.app)
    const headers = { 'accept-encoding': 'gzip' }
    const feed = await reader.get('/feed.atom', headers)
    assert.equal(feed.headers['content-encoding'], 'gzip')
    assert.match(String(feed.headers.etag), /^W\//)
    const again = await reader.get('/feed.atom', { ...headers, 'if-none-match': String(feed.headers.etag) })
    assert.equal(again.statusCode, 304)
    assert.equal(again.rawPayload.length, 0)
  })

  test('what is compressed already, and what is short, stays as it is', async () => {
    const reader = visitor(forum.app)
    const css = /href="(\/assets\/main[^"]+)/.exec((await reader.get('/')).body)?.[1] ?? ''
    const sheet = await reader.get(css, { 'accept-encoding': 'br' })
    assert.match(brotliDecompressSync(sheet.rawPayload).toString(), /\.question-row/)
    assert.equal(
      (await reader.get('/healthz', { 'accept-encoding': 'br' })).headers['content-encoding'],
      undefined,
    )
  })
})
