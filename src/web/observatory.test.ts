import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { signedIn, visitor } from '../testing/browser.ts'
import { aCourse, aPerson, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { observatoryFaults, SCANNER } from '../testing/observatory.ts'
import { questionPath } from './paths.ts'
import { assetsIn } from './testing.ts'

const FORUM = 'https://forum.example'

suite('the MDN HTTP Observatory, on https', () => {
  const forum = sharedForum({ baseUrl: FORUM, trustProxy: ['127.0.0.1'] })

  function assertBest(path: string, response: LightMyRequestResponse, status: number) {
    assert.equal(response.statusCode, status, path)
    assert.deepEqual(observatoryFaults(response), [], path)
  }

  test('gives every kind of answer an A+: pages, errors, assets, redirects, feeds, health', async () => {
    const course = await aCourse(forum.db)
    const question = await aQuestion(forum.db, { course, answers: 1 })
    const browser = visitor(forum.app)
    const front = await browser.get('/', { origin: SCANNER })
    assertBest('/', front, 200)
    const assets = assetsIn(front.body)
    assert.ok(assets.length >= 4)
    const pages = [questionPath(question), '/sign-in', '/search?q=x', '/tags', '/courses']
    const others = ['/feed.atom', `/questions/${question.id}/feed.atom`, '/sitemap.xml', '/robots.txt']
    for (const path of [...pages, ...assets, ...others, '/healthz', '/readyz'])
      assertBest(path, await browser.get(path, { origin: SCANNER }), 200)
    const elsewhere = { [`/questions/${question.id}`]: 301, '/settings': 303, '/nowhere': 404, '/%ff': 400 }
    for (const [path, status] of Object.entries(elsewhere)) assertBest(path, await browser.get(path), status)
    assertBest('/x', await browser.post('/sign-in', {}, { token: null }), 403)
    assertBest('/x', await browser.post('/sign-up', { email: 'x' }), 422)
  })

  test('accepts the cookies of a session and of its forms', async () => {
    const person = await aPerson(forum.db)
    const form = await visitor(forum.app).get('/sign-in')
    assert.match(String(form.headers['set-cookie']), /^__Host-csrf=/)
    assertBest('/sign-in', form, 200)
    const browser = await signedIn(forum.app, person)
    const settings = await browser.get('/settings')
    assertBest('/settings', settings, 200)
    const left = await browser.post('/sign-out')
    assertBest('/sign-out', left, 303)
  })

  test('is sent from http to the same address on https, forms too; who asks without a proxy is answered', async () => {
    const ask = (proto: string | null, url = '/tags?q=a%20b', method: 'GET' | 'POST' = 'GET') =>
      forum.app.inject({ method, url, headers: proto === null ? {} : { 'x-forwarded-proto': proto } })
    const plain = await ask('http')
    assert.equal(plain.statusCode, 308)
    assert.equal(plain.headers.location, `${FORUM}/tags?q=a%20b`)
    assert.match(String(plain.headers['strict-transport-security']), /max-age=63072000/)
    assert.equal((await ask('http', '/sign-in', 'POST')).statusCode, 308)
    assert.equal((await ask('http, http', '//evil.example/')).headers.location, `${FORUM}//evil.example/`)
    for (const proto of ['https', 'https, http', null])
      assert.equal((await ask(proto)).statusCode, 200, String(proto))
  })
})
