import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readConfig } from '../../config.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { questionPath } from '../paths.ts'
import { assertFileHeaders, assertSecurityHeaders, assetsIn } from '../testing.ts'
import { headersOf } from './headers.ts'

test('HSTS is sent on https alone, as it is set: for this host only by default', () => {
  const hsts = (variables: Record<string, string>) =>
    headersOf(readConfig(variables))['strict-transport-security']
  const BASE_URL = 'https://forum.example'
  assert.equal(hsts({}), undefined)
  assert.equal(hsts({ BASE_URL }), 'max-age=63072000')
  assert.equal(hsts({ BASE_URL, HSTS: 'off' }), undefined)
  const all = 'max-age=300; includeSubDomains; preload'
  assert.equal(hsts({ BASE_URL, HSTS: all }), all)
})

suite('headers', () => {
  const forum = sharedForum()

  test('every answer has the security headers: pages, redirects, assets, health and errors', async () => {
    const question = await aQuestion(forum.db)
    const front = await visitor(forum.app).get('/')
    const assets = assetsIn(front.body)
    assert.ok(assets.length >= 4, String(assets))
    for (const path of assets) assertFileHeaders(await visitor(forum.app).get(path), path)
    for (const path of [
      ...['/', questionPath(question), `/questions/${question.id}`, '/sign-in', '/questions/new', '/sw.js'],
      ...['/healthz', '/readyz', '/nowhere', '/%ff', '/assets/nothing.css'],
    ]) {
      const answer = await visitor(forum.app).get(path)
      assertSecurityHeaders(answer, path)
      assert.equal(answer.headers['strict-transport-security'], undefined)
      if (answer.statusCode === 200)
        assert.match(String(answer.headers['content-type']), /charset=utf-8|image\//, path)
    }
  })

  test('pages of somebody signed in are nobody else’s; public ones must be asked for again', async () => {
    const question = await aQuestion(forum.db)
    const path = questionPath(question)
    const browser = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await browser.get(path)).headers['cache-control'], 'private, no-store')
    const open = await visitor(forum.app).get(path)
    assert.equal(open.headers['cache-control'], 'no-cache')
    assert.match(String(open.headers.vary), /cookie/i)
    const flashed = visitor(forum.app)
    flashed.cookies.set('flash', 'anything')
    assert.equal((await flashed.get(path)).headers['cache-control'], 'private, no-store')
  })
})
