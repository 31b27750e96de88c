import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { signedIn, visitor } from '../testing/browser.ts'
import { aCourse, aPerson, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { observatoryScore, SCANNER } from '../testing/observatory/score.ts'
import { questionPath } from './paths.ts'

const FORUM = 'https://forum.example'

suite('the MDN HTTP Observatory, on https', () => {
  const forum = sharedForum({ baseUrl: FORUM, trustProxy: ['127.0.0.1'] })

  /** Asks by plain http first, as the scanner does, and then by https, through a proxy that ends TLS. */
  async function scoreOf(path: string, answer: LightMyRequestResponse) {
    const { headers, body } = answer
    const plain = await forum.app.inject({ url: path, headers: { 'x-forwarded-proto': 'http' } })
    const location = plain.headers.location
    const fromHttp = [`http://forum.example${path}`, ...(location === undefined ? [] : [String(location)])]
    return observatoryScore({ url: `${FORUM}${path}`, headers, body, fromHttp })
  }

  async function assertBest(path: string, answer: LightMyRequestResponse, status: number) {
    assert.equal(answer.statusCode, status, path)
    const { score, grade, verdicts } = await scoreOf(path, answer)
    const lost = verdicts.filter(({ modifier }) => modifier < 0)
    assert.deepEqual(lost, [], path)
    // 10 for the policy, 10 for resources, 5 each for framing and referrers.
    assert.ok(score >= 130, `${path}: ${score}`)
    assert.equal(grade, 'A+')
  }

  test('gives every kind of answer an A+: pages, errors, assets, redirects, feeds, health', async () => {
    const course = await aCourse(forum.db)
    const question = await aQuestion(forum.db, { course, answers: 1 })
    const browser = visitor(forum.app)
    const front = await browser.get('/', { origin: SCANNER })
    await assertBest('/', front, 200)
    const assets = [...front.body.matchAll(/(?:href|src)="(\/assets\/[^"#]+)/g)].map(([, path = '']) => path)
    assert.ok(assets.length >= 4)
    for (const path of [questionPath(question), '/sign-in', '/search?q=x', '/tags', '/courses', ...assets])
      await assertBest(path, await browser.get(path, { origin: SCANNER }), 200)
    for (const path of [
      '/feed.atom',
      `/questions/${question.id}/feed.atom`,
      '/sitemap.xml',
      '/robots.txt',
      '/healthz',
      '/readyz',
    ])
      await assertBest(path, await browser.get(path, { origin: SCANNER }), 200)
    await assertBest('/x', await browser.get(`/questions/${question.id}`), 301)
    await assertBest('/x', await browser.get('/settings'), 303)
    await assertBest('/x', await browser.get('/nowhere'), 404)
    await assertBest('/x', await browser.get('/%ff'), 400)
    await assertBest('/x', await browser.post('/sign-in', {}, { token: null }), 403)
    await assertBest('/x', await browser.post('/sign-up', { email: 'x' }), 422)
  })

  test('gives the cookies of a session and of its forms their points', async () => {
    const person = await aPerson(forum.db)
    const { headers, body } = await visitor(forum.app).get('/sign-in')
    assert.match(String(headers['set-cookie']), /^__Host-csrf=/)
    const { score } = observatoryScore({ url: FORUM, headers, body, fromHttp: null })
    assert.ok(score >= 135, String(score))
    const browser = await signedIn(forum.app, person)
    const settings = await browser.get('/settings')
    await assertBest('/settings', settings, 200)
    const left = await browser.post('/sign-out')
    await assertBest('/sign-out', left, 303)
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
