import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { signedIn, visitor } from '../testing/browser.ts'
import { aPerson } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { assertFileHeaders, assetsIn } from './testing.ts'

suite('assets', () => {
  const forum = sharedForum()

  test('everything a page is made with may be kept for a year, under names that follow its content', async () => {
    const paths = await assetsOf('/')
    for (const name of ['main.css', 'main.js', 'icons.svg', 'favicon.svg', 'apple-touch-icon.png']) {
      const hashed = new RegExp(`^/assets/${name.replace('.', '\\.[\\w-]{10}\\.')}$`)
      const path = paths.find((one) => hashed.test(one)) ?? assert.fail(`${name} in ${paths}`)
      const answer = await visitor(forum.app).get(path)
      assert.equal(answer.statusCode, 200, path)
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable', path)
      assertFileHeaders(answer, path)
    }
  })

  test('they come compressed as the browser takes it, the same whatever way', async () => {
    for (const path of (await assetsOf('/')).filter((one) => /\.(css|js|svg)$/.test(one))) {
      const ask = (encodings: string) => visitor(forum.app).get(path, { 'accept-encoding': encodings })
      const answers = [await ask('identity'), await ask('gzip'), await ask('gzip, deflate, br')] as const
      const [plain, gzip, brotli] = answers
      const encodings = answers.map(({ headers }) => headers['content-encoding'])
      assert.deepEqual(encodings, [undefined, 'gzip', 'br'])
      assert.deepEqual(gunzipSync(gzip.rawPayload), plain.rawPayload)
      assert.deepEqual(brotliDecompressSync(brotli.rawPayload), plain.rawPayload)
      assert.ok(brotli.rawPayload.length < plain.rawPayload.length)
      for (const { headers } of answers) assert.match(String(headers.vary), /accept-encoding/)
      assert.equal(new Set(answers.map(({ headers }) => headers.etag)).size, 3)
    }
  })

  test('who has it already is told so', async () => {
    const [path = ''] = await assetsOf('/')
    const headers = { 'accept-encoding': 'br' }
    const { etag } = (await visitor(forum.app).get(path, headers)).headers
    const again = await visitor(forum.app).get(path, { ...headers, 'if-none-match': String(etag) })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
  })

  test('under the name of another version comes this one, which nobody keeps', async () => {
    const answer = await visitor(forum.app).get('/assets/main.0123456789.css')
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['cache-control'], 'no-cache')
    assert.match(answer.body, /\.question-row/)
  })

  test('visitors’ browsers may fetch lists ahead, and nothing that counts', async () => {
    const { headers } = await visitor(forum.app).get('/')
    const rules = await visitor(forum.app).get(JSON.parse(String(headers['speculation-rules'])))
    assert.equal(rules.headers['content-type'], 'application/speculationrules+json')
    const [{ where }] = JSON.parse(rules.body).prefetch
    const base = 'http://localhost:3000'
    const patterns = where.or.map((one: { href_matches: string }) => new URLPattern(one.href_matches, base))
    const isFetched = (path: string) => patterns.some((one: URLPattern) => one.test(path, base))
    for (const path of ['/', '/questions', '/questions?sort=votes&after=x', '/courses/rest', '/tags/c%2B%2B'])
      assert.ok(isFetched(path), path)
    const counting = [
      '/questions/12/how',
      '/questions/new',
      '/search?q=x',
      '/sign-in?next=%2F',
      '/tags/x/feed.atom',
    ]
    for (const path of counting) assert.ok(!isFetched(path), path)
    const somebody = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await somebody.get('/')).headers['speculation-rules'], undefined)
  })

  /** Paths under /assets/ that a page names. */
  async function assetsOf(page: string): Promise<string[]> {
    const { body } = await visitor(forum.app).get(page)
    return assetsIn(body)
  }
})
