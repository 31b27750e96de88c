import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Browser, signedIn } from '../testing/browser.ts'
import { aCourse, aPerson, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { valueIn } from '../testing/page.ts'
import { assertErrorPage } from './testing.ts'

suite('bad forms', () => {
  const forum = sharedForum()
  const someone = async (): Promise<Browser> => signedIn(forum.app, await aPerson(forum.db))

  test('broken encoding in a body is a bad request', async () => {
    const browser = await someone()
    const token = await browser.token()
    for (const bytes of [
      '%',
      '%zz',
      '%ff',
      '%E0%A4%A',
      Buffer.from([0xff, 0xfe]),
      Buffer.from('é', 'latin1'),
    ]) {
      const parts = [`_csrf=${token}&title=`, bytes, '&body=x'].map((part) => Buffer.from(part))
      const raw = Buffer.concat(parts)
      assertErrorPage(await browser.post('/questions', {}, { raw }), 400, String(bytes))
    }
    const many = Array.from({ length: 51 }, (_, index) => `f${index}=1`).join('&')
    assertErrorPage(await browser.post('/questions', {}, { raw: many }), 400, '51 fields')
  })

  test('repeated, nested and strange fields are refused or ignored, never an error of ours', async () => {
    const browser = await someone()
    const { slug: course } = await aCourse(forum.db)
    const token = await browser.token()
    const send = (raw: string) =>
      browser.post('/questions', {}, { raw: `_csrf=${token}&course=${course}&${raw}` })
    const refused = await send('title=The+first&title=The+second&body=kept+words')
    assert.equal(refused.statusCode, 422)
    assert.equal(valueIn(refused.body, 'title'), 'The first')
    assert.equal(valueIn(refused.body, 'body'), 'kept words')
    for (const raw of [
      ...['title[a]=1&body=x', 'title[]=1&body=x', 'title.length=3', '=&=&&', 'title'],
      ...['__proto__=1&__proto__[x]=1', 'constructor=1&prototype=2', 'toString=1&valueOf=2&hasOwnProperty=3'],
    ])
      assert.equal((await send(raw)).statusCode, 422, raw)
    const whole = await send('title=A+whole+title&body=A+body&tags=&__proto__=x&constructor=y&role=admin')
    assert.equal(whole.statusCode, 303)
    assert.equal(({} as Record<string, unknown>).x, undefined)
  })

  test('only forms are read', async () => {
    const browser = await someone()
    const bodies: Record<string, string> = {
      'application/json': '{"title":"x"}',
      'multipart/form-data; boundary=x':
        '--x\r\ncontent-disposition: form-data; name="title"\r\n\r\nx\r\n--x--',
      'text/plain': 'title=x',
      'application/xml': '<title/>',
      nonsense: 'x',
    }
    for (const charset of ['utf-16', 'utf-16le', 'iso-8859-1', '"euc-kr"', 'us-ascii', 'no-such-thing'])
      bodies[`application/x-www-form-urlencoded; charset=${charset}`] = 'title=x'
    for (const [contentType, raw] of Object.entries(bodies))
      assertErrorPage(await browser.post('/questions', {}, { raw, contentType }), 415, contentType)
  })

  test('a form that says it is UTF-8 is read, however that is spelled', async () => {
    const browser = await someone()
    for (const charset of ['utf-8', 'UTF-8', 'utf8', '"utf-8"']) {
      const contentType = `application/x-www-form-urlencoded; charset=${charset}`
      const answer = await browser.post('/questions', {}, { raw: 'title=x', contentType })
      assertErrorPage(answer, 403, charset)
    }
  })

  test('a compressed body is refused as such', async () => {
    const browser = await someone()
    const headers = { 'content-encoding': 'gzip' }
    assertErrorPage(await browser.post('/questions', {}, { raw: gzipSync('title=x'), headers }), 415)
    const plain = { 'content-encoding': 'identity' }
    assertErrorPage(await browser.post('/questions', {}, { raw: 'title=x', headers: plain }), 403)
  })

  test('a body of 10 MB is too large, and one as long as a post may be is not', async () => {
    const browser = await someone()
    const raw = Buffer.alloc(10_000_000, 'a')
    assertErrorPage(await browser.post('/questions', {}, { raw }), 413)
    const question = await aQuestion(forum.db)
    const body = '\u{10FFFD}'.repeat(30_000)
    assert.equal((await browser.post(`/questions/${question.id}/answers`, { body })).statusCode, 303)
  })
})
