import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { visitor } from '../../testing/browser.ts'
import { aCourse, anAnswer, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { within } from '../../testing/within.ts'
import { parseXml } from '../../testing/xml.ts'
import { setAcceptance } from '../answers/acceptance.ts'

suite('what machines read', () => {
  const forum = sharedForum()

  test('a question page tells machines what it is, and no text ends the script', async () => {
    const { app, db } = forum
    const question = await aQuestion(db, { title: 'Ends </script><b> here?', body: 'Is `<` safe?' })
    const accepted = await anAnswer(db, { question, body: 'Yes.' })
    const other = await anAnswer(db, { question, body: 'No.' })
    await within(db, setAcceptance, question.id, accepted.id, true)
    const reader = visitor(app)
    const page = await reader.follow(await reader.get(`/questions/${question.id}`))
    const scripts = page.body.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)
    const [about, crumbs] = [...scripts].map(([, json]) => JSON.parse(json ?? ''))
    assert.deepEqual([about['@context'], about['@type']], ['https://schema.org', 'QAPage'])
    assert.equal(about.mainEntity.name, 'Ends </script><b> here?')
    assert.equal(about.mainEntity.answerCount, 2)
    assert.match(about.mainEntity.acceptedAnswer.url, new RegExp(`#answer-${accepted.id}$`))
    assert.match(about.mainEntity.suggestedAnswer[0].url, new RegExp(`#answer-${other.id}$`))
    assert.equal(crumbs['@type'], 'BreadcrumbList')
    assert.match(page.body, /<link rel="canonical" href="http:\/\/localhost:3000\/questions\//)
    assert.match(page.body, /<meta property="og:title" content="Ends &lt;\/script&gt;/)
  })

  test('the sitemap is well-formed and leaves private courses out', async () => {
    const { app, db } = forum
    await aQuestion(db, { course: await aCourse(db, { isPublic: false }), title: 'Hidden away' })
    await anAnswer(db, { question: await aQuestion(db, { title: 'In <the> open & "so on"' }) })
    const reader = visitor(app)
    for (const path of ['/sitemap.xml', '/sitemap/1.xml']) {
      const answer = await reader.get(path)
      assert.equal(answer.statusCode, 200, path)
      assert.match(String(answer.headers['content-type']), /xml; charset=utf-8/, path)
      parseXml(answer.body)
      assert.doesNotMatch(answer.body, /hidden/i, path)
    }
    assert.equal((await reader.get('/sitemap/99.xml')).statusCode, 404)
    assert.match((await reader.get('/robots.txt')).body, /Sitemap: http:\/\/localhost:3000\/sitemap.xml/)
  })

  test('an unchanged page is 304', async () => {
    const { app, db } = forum
    await aQuestion(db)
    const reader = visitor(app)
    for (const url of ['/questions', '/search?q=list']) {
      const first = await reader.get(url)
      const again = await reader.get(url, { 'if-none-match': String(first.headers.etag) })
      assert.equal(again.statusCode, 304, url)
      const headers = { host: 'localhost:3000', accept: 'text/html' }
      const head = await app.inject({ method: 'HEAD', url, headers })
      assert.equal(head.headers.etag, first.headers.etag, url)
    }
  })

  test('search engines may list the pages to search and to ask, not what somebody found, and every page says what it is', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const reader = visitor(app)
    const robots = (await reader.get('/robots.txt')).body.split('\n')
    assert.ok(robots.includes('Disallow: /search?'))
    assert.ok(!robots.some((line) => /^Disallow: \/(search$|questions\/new)/.test(line)))
    assert.doesNotMatch((await reader.get('/search')).body, /noindex/)
    assert.match((await reader.get('/search?q=list')).body, /<meta name="robots" content="noindex">/)
    for (const path of ['/', '/search', `/questions/${question.id}`, '/tags', '/sign-in']) {
      const page = await reader.get(path)
      const shown = page.statusCode === 301 ? await reader.follow(page) : page
      assert.match(shown.body, /<meta name="description" content="[^"]{5,}">/, path)
    }
  })
})
