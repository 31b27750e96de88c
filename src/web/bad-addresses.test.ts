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
      ...['0', '-1', '1e3', '99999999999999999999', '9007199254740993', '1.5', '01', '+1', '1%20'],
      ...['１', 'x', '%00', '%F0%9F%98%80', '%3Cscript%3E', "1'--"],
    ]
    const pages = { questions: ['', '/slug', '/edit'], answers: ['/edit'], replies: ['/edit'], people: [''] }
    const forms = {
      questions: ['/answers', '/votes'],
      answers: ['/replies', '/acceptance', '/endorsement'],
      replies: ['/delete'],
    }
    const pathsOf = (places: Readonly<Record<string, readonly string[]>>, id: string) =>
      Object.entries(places).flatMap(([kind, ends]) => ends.map((end) => `/${kind}/${id}${end}`))
    for (const id of ids) {
      for (const path of pathsOf(pages, id)) assertErrorPage(await browser.get(path), 404, path)
      for (const path of pathsOf(forms, id))
        assertErrorPage(await browser.post(path, { body: 'x', value: 1 }), 404, path)
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
    for (const [path, words] of offered) {
      const { body } = await reader.get(path)
      assert.ok(body.includes(`id="words" name="q" type="search" value="${words}"`), path)
    }
  })

  test('what never was is 404 for every method, and too long a name is no page either', async () => {
    const long = 'x'.repeat(8000)
    for (const path of [
      ...['/no-such-page', '/questions/1/slug/more', '/.env'],
      ...[`/${long}`, `/questions/${long}`, `/courses/${long}`, `/tags/${long}`],
      ...['/assets/none.svg', '/assets/', '/assets/css/main.css', '/assets/..%2f..%2fpackage.json'],
    ])
      assertErrorPage(await visitor(forum.app).get(path), 404, path.slice(0, 30))
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH'] as const) {
      const answer = await forum.app.inject({ method: method as 'PUT', url: '/questions/1' })
      assertErrorPage(answer, 404, method)
    }
  })

  test('broken percent-encoding or UTF-8 in an address is a bad request', async () => {
    const broken = ['%', '%2', '%zz', '%E0%A4%A', '%ff', '%C0%AF', '%ED%A0%80', '%F0%9F']
    const before = [
      '/',
      '/questions/',
      '/tags/',
      '/assets/',
      '/questions?tag=',
      '/search?q=',
      '/sign-in?next=',
    ]
    for (const path of broken.flatMap((code) => before.map((begin) => begin + code)))
      assertErrorPage(await visitor(forum.app).get(path), 400, path)
    assertErrorPage(await (await someone()).post('/questions/%ff/answers', { body: 'words' }), 400)
    assertErrorPage(await visitor(forum.app).get('/%ff', { 'accept-language': 'ko' }), 400)
  })

  test('strange queries are as if they were not there', async () => {
    const queries = [
      ...['sort=__proto__', '__proto__=1', 'sort=votes&sort=views', 'status[]=resolved', 'sort=%0d%0ax:y'],
      ...['tag=%00', 'tag=a&tag=b', 'mine=2', 'after[x]=1', 'lecture=', 'course=', '=', '&&'],
    ]
    for (const query of queries)
      assert.equal((await visitor(forum.app).get(`/questions?${query}`)).statusCode, 200, query)
  })
})
