import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { beginSession, endOtherSessions } from './sessions.ts'

/** Goes on until a page. */
async function arrive(browser: Browser, answer: LightMyRequestResponse): Promise<LightMyRequestResponse> {
  const leadsOn = answer.statusCode >= 300 && answer.statusCode < 400
  return leadsOn ? arrive(browser, await browser.follow(answer)) : answer
}

suite('who is not signed in', () => {
  const forum = sharedForum()

  /** The page that signing in leads to. */
  const wayBack = ({ headers }: LightMyRequestResponse) =>
    new URL(String(headers.location), 'http://forum').searchParams.get('next') ?? ''

  async function sitDown(browser: Browser, { id }: { readonly id: number }): Promise<void> {
    browser.cookies.set('session', await beginSession(forum.db, id, 'a test'))
  }

  test('is sent to sign in by pages that need it, and comes back', async () => {
    const somebody = visitor(forum.app)
    const pages = ['/questions/new?course=x&lecture=2', '/settings', '/answers/1/edit', '/questions/1/edit']
    for (const path of pages) {
      const answer = await somebody.get(path)
      assert.equal(answer.statusCode, 303)
      assert.equal(answer.headers.location, `/sign-in?next=${encodeURIComponent(path)}`)
      assert.equal(valueIn((await somebody.follow(answer)).body, 'next'), path)
    }
  })

  test('is sent there from any address with a header that proxies take', async () => {
    for (const [address, next] of [
      [`/settings?x=${'%20'.repeat(4000)}`, '/settings'],
      [`/questions/${'9'.repeat(3000)}/edit`, '/'],
    ] as const) {
      const answer = await visitor(forum.app).get(address)
      assert.equal(answer.statusCode, 303)
      assert.equal(answer.headers.location, `/sign-in?next=${encodeURIComponent(next)}`)
    }
  })

  test('reads on the page to sign in or up why they are there', async () => {
    const { app, db } = forum
    const answer = await anAnswer(db, { question: await aQuestion(db) })
    const reader = visitor(app)
    const page = (await arrive(reader, await reader.get(`/answers/${answer.id}`))).body
    const votes = [...page.matchAll(/href="(\/sign-in\?next=[^"]*vote[^"]*)"/g)].map(([, path = '']) => path)
    assert.equal(votes.length, 2)
    for (const path of votes) {
      const { body } = await reader.get(path)
      assert.match(body, /You need an account to vote/)
      const [, id = 'nowhere'] = /name="next" value="[^"#]*#([^"]+)"/.exec(body) ?? []
      assert.ok(page.includes(`id="${id}"`), id)
      assert.match((await reader.get(path.replace('sign-in', 'sign-up'))).body, /You need an account to vote/)
    }

    const ask = await arrive(reader, await reader.get('/questions/new?course=x'))
    assert.match(ask.body, /You need an account to ask/)
    const wrong = { email: 'mina@example.org', password: 'wrong', next: '/questions/new' }
    assert.match((await reader.post('/sign-in', wrong)).body, /You need an account to ask/)
    const written = await arrive(reader, await reader.post('/questions', { title: 'Typed', body: 'Typed' }))
    assert.match(written.body, /You need an account to ask[\s\S]*Your text is saved/)
    for (const path of [`/answers/${answer.id}/replies`, `/questions/${answer.question.id}/answers`]) {
      const { body } = await arrive(reader, await reader.post(path, { body: 'Typed' }))
      assert.match(body, /You need an account to (reply|answer)[\s\S]*Your text is saved/)
    }
    assert.doesNotMatch((await reader.get('/sign-in?next=%2Ftags')).body, /You need an account to /)
  })

  test('finds what was typed again after the session ended: asking, answering, replying, editing', async () => {
    const { app, db } = forum
    const person = await aPerson(db)
    const course = await aCourse(db, { lectures: ['One', 'Two'] })
    const question = await aQuestion(db, { course, author: person })
    const answer = await anAnswer(db, { question, author: person })
    const reply = await aReply(db, { answer, author: person })
    const text = { body: 'typed for an hour\r\n\r\n  & kept "as is" <b> 😀 한글\r\n' }
    const fields = { title: 'Typed title', tags: 'a-tag, other', lecture: '2', ...text }
    const forms: [string, Record<string, string>][] = [
      ['/questions', { ...fields, course: course.slug }],
      [`/questions/${question.id}/answers`, text],
      [`/questions/${question.id}/replies`, text],
      [`/answers/${answer.id}/replies`, text],
      [`/questions/${question.id}/edit`, { ...fields, version: '1' }],
      [`/answers/${answer.id}/edit`, { ...text, version: '1' }],
      [`/replies/${reply.id}/edit`, { ...text, version: '1' }],
      ['/settings', { display_name: 'A new name', language: 'ko', time_zone: '', theme: 'dark' }],
    ]
    for (const [path, typed] of forms) {
      const browser = await signedIn(app, person)
      const token = await browser.token('/courses')
      await endOtherSessions(db, person.id, null)
      const asked = await browser.post(path, typed, { token })
      assert.equal(asked.statusCode, 303, path)
      await sitDown(browser, person)
      const { body } = await arrive(browser, await browser.get(wayBack(asked)))
      const form = formOf(body, path)
      for (const [name, value] of Object.entries(typed))
        assert.equal(valueIn(form, name), value, `${path} ${name}`)
      const [, discard = ''] = /class="note restored[\s\S]*?href="([^"]+)"/.exec(form) ?? []
      const without = formOf((await browser.get(textOf(discard))).body, path)
      assert.doesNotMatch(without, /typed for an hour|class="note restored[^>]*><span>[^<]*<\/span><a/, path)

      const sent = await browser.post(path, typed, { token: valueIn(form, '_csrf') })
      assert.equal(sent.statusCode, 303, path)
      assert.doesNotMatch(String(sent.headers.location), /sign-in/)
    }
  })

  test('finds a reply and a vote in a private course again, and is told nothing of it before', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { isPublic: false })
    const person = await aMember(db, course, 'learner')
    const question = await aQuestion(db, { course, title: 'Known to members' })
    const answer = await anAnswer(db, { question })
    for (const [path, typed, place] of [
      [`/answers/${answer.id}/replies`, { body: 'typed for an hour' }, `#reply-answer-${answer.id}`],
      [`/answers/${answer.id}/votes`, { value: '1' }, `#answer-${answer.id}`],
    ] as const) {
      const browser = visitor(app)
      const asked = await browser.post(path, typed)
      const next = wayBack(asked)
      assert.doesNotMatch(next, /questions|known/)
      assert.equal((await browser.get(next)).statusCode, 404)
      await sitDown(browser, person)
      const back = await browser.get(next)
      assert.ok(String(back.headers.location).endsWith(place), String(back.headers.location))
      const { body } = await arrive(browser, back)
      if ('body' in typed) assert.equal(valueIn(formOf(body, path), 'body'), typed.body)
    }
  })

  test('keeps the version an edit began with: what others saved meanwhile is not overwritten', async () => {
    const { app, db } = forum
    const person = await aPerson(db)
    const answer = await anAnswer(db, { author: person })
    const path = `/answers/${answer.id}/edit`
    const browser = visitor(app)
    const asked = await browser.post(path, { body: 'mine', version: 1 })
    await (await signedIn(app, person)).post(path, { body: 'saved meanwhile', version: 1 })
    await sitDown(browser, person)
    const { body } = await browser.get(wayBack(asked))
    assert.deepEqual([valueIn(body, 'body'), valueIn(body, 'version')], ['mine', '1'])
  })

  test('gives kept words to no other browser: nobody can put theirs into somebody else’s form', async () => {
    const { app, db } = forum
    const person = await aPerson(db)
    const answer = await anAnswer(db, { author: person, body: 'my own words' })
    const planted = await visitor(app).post(`/answers/${answer.id}/edit`, { body: 'planted' })
    const { body } = await (await signedIn(app, person)).get(wayBack(planted))
    assert.equal(valueIn(body, 'body'), 'my own words')
  })

  test('finds the page again after a vote, without anything kept', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const path = `/questions/${question.id}/slug-of-it`
    for (const [referer, next] of [
      [`${app.config.baseUrl}${path}?answers=newest`, path],
      ['https://evil.example//evil', '/'],
    ] as const) {
      const answer = await visitor(app).post(`/questions/${question.id}/delete`, {}, { headers: { referer } })
      assert.equal(answer.headers.location, `/sign-in?next=${encodeURIComponent(next)}`)
    }
  })

  test('never has a secret kept, and cannot fill the database', async () => {
    const { app, db } = forum
    await db.deleteFrom('kept_forms').execute()
    const somebody = visitor(app)
    const secrets = { password: 'hunter22hunter22', current_password: 'also secret' }
    await somebody.post('/settings', { display_name: 'Mina', ...secrets }, { token: null })
    assert.deepEqual(valuesOf(await rowsOf(db, 'kept_forms', {}), 'fields'), [{ display_name: 'Mina' }])
    const write = () => somebody.post('/questions', { body: 'x' }, { token: null })
    assert.equal((await write()).statusCode, 303)
    await sql`update tries set count = 1000000`.execute(db)
    assert.equal((await write()).statusCode, 429)
    await sql`delete from tries`.execute(db)
  })
})

/** The form that is sent to a path. */
function formOf(html: string, path: string): string {
  return new RegExp(`<form[^>]*action="${path}"[\\s\\S]*?</form>`).exec(html)?.[0] ?? ''
}
