import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Browser, signedIn, visitor } from '../testing/browser.ts'
import { aPerson } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { assertErrorPage } from './testing.ts'

suite('bad addresses', () => {
  const forum = sharedForum()
  const someone = async (): Promise<Browser> => signedIn(forum.app, await aPerson(forum.db))

  test('odd ids are no pages, wherever an id can be', async () => {
    const browser = await someone()
    const ids = [
      '0',
      '-1',
      '1e3',
      '99999999999999999999',
      '1.5',
      '%00',
      '%F0%9F%98%80',
      '01',
      '+1',
      '1%20',
      '１',
      'x',
      '%3Cscript%3E',
      '9007199254740993',
      "1'--",
    ]
    for (const id of ids) {
      for (const path of [
        `/questions/${id}`,
        `/questions/${id}/slug`,
        `/questions/${id}/edit`,
        `/answers/${id}/edit`,
        `/replies/${id}/edit`,
        `/people/${id}`,
      ]) {
        assertErrorPage(await browser.get(path), 404, path)
      }
      for (const path of [
        `/questions/${id}/answers`,
        `/questions/${id}/votes`,
        `/answers/${id}/replies`,
        `/answers/${id}/acceptance`,
        `/answers/${id}/endorsement`,
        `/replies/${id}/delete`,
      ]) {
        assertErrorPage(await browser.post(path, { body: 'x', value: 1 }), 404, path)
      }
    }
  })

  test('a page that is not there offers to search for the words of its address', async () => {
    const reader = visitor(forum.app)
    const offered: readonly [string, string][] = [
      ['/questions/999999/may-i-use-put', 'may i use put'],
      ['/people/999999/%ED%95%9C%EA%B5%AD-%3Cb%3E', '한국 b'],
      ['/questions/999999', ''],
      ['/nothing?q=secret', ''],
    ]
    for (const [path, words] of offered)
      assert.match(
        (await reader.get(path)).body,
        new RegExp(`id="words" name="q" type="search" value="${words}"`),
        path,
      )
  })

  test('what never was is 404 for every method, and too long a name is no page either', async () => {
    const long = 'x'.repeat(8000)
    for (const path of [
      '/no-such-page',
      '/questions/1/slug/more',
      `/${long}`,
      `/questions/${long}`,
      `/courses/${long}`,
      `/tags/${long}`,
      '/assets/none.svg',
      '/assets/',
      '/assets/css/main.css',
      '/.env',
      '/assets/..%2f..%2fpackage.json',
    ]) {
      assertErrorPage(await visitor(forum.app).get(path), 404, path.slice(0, 30))
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH'] as const) {
      const answer = await forum.app.inject({ method: method as 'PUT', url: '/questions/1' })
      assertErrorPage(answer, 404, method)
    }
  })

  test('broken percent-encoding or UTF-8 in an address is a bad request', async () => {
    const broken = ['%', '%2', '%zz', '%E0%A4%A', '%ff', '%C0%AF', '%ED%A0%80', '%F0%9F']
    for (const code of broken) {
      for (const path of [
        `/${code}`,
        `/questions/${code}`,
        `/tags/${code}`,
        `/assets/${code}`,
        `/questions?tag=${code}`,
        `/search?q=${code}`,
        `/sign-in?next=${code}`,
      ]) {
        assertErrorPage(await visitor(forum.app).get(path), 400, path)
      }
    }
    assertErrorPage(await (await someone()).post('/questions/%ff/answers', { body: 'words' }), 400)
    assertErrorPage(await visitor(forum.app).get('/%ff', { 'accept-language': 'ko' }), 400)
  })

  test('strange queries are as if they were not there', async () => {
    const queries = [
      'sort=__proto__',
      '__proto__=1',
      'sort=votes&sort=views',
      'status[]=resolved',
      'tag=%00',
      'tag=a&tag=b',
      'mine=2',
      'after[x]=1',
      'lecture=',
      '=',
      '&&',
      'course=',
      'sort=%0d%0ax:y',
    ]
    for (const query of queries)
      assert.equal((await visitor(forum.app).get(`/questions?${query}`)).statusCode, 200, query)
  })
})
