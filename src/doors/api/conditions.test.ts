import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { caseOf, reported } from '../../forum/cases/testing.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { aHearingForum, sharedForum } from '../../testing/forum.ts'
import { setRows } from '../../testing/rows.ts'
import { ENDPOINTS } from './endpoints.ts'
import { aProgram } from './testing.ts'

const JUNK = [
  ...['if-match', 'if-none-match'].flatMap((name) =>
    ['abc', '"a', ',,,', '*, "a"', "'a'", '"a" "b"'].map((value) => [name, value] as const),
  ),
  ...['if-modified-since', 'if-unmodified-since'].flatMap((name) =>
    ['yesterday', '2026-11-29', '1796083200', 'Sun, 99 Nov 2026 10:00:00 GMT'].map(
      (value) => [name, value] as const,
    ),
  ),
]
const NOW = 'Sun, 29 Nov 2026 10:00:00 GMT'
const BEFORE = 'Sun Nov 29 09:59:59 2026'

suite('conditions of programs', () => {
  const forum = sharedForum()

  async function aThread() {
    const { db } = forum
    forum.app.apiRequests.count = () => ({ count: 1, ttl: 1000 })
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'instructor')
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question })
    const reply = await aReply(db, { answer })
    const ids = { questions: question.id, answers: answer.id, replies: reply.id } as const
    for (const table of ['questions', 'answers', 'replies'] as const)
      await setRows(db, table, ids[table], { version: 3, written_at: new Date(NOW), edited_at: null })
    const program = aProgram(forum.app, await aToken(forum, staff, ['read', 'write', 'staff']))
    const at = (path: string) => {
      const table = (['answers', 'replies'] as const).find((name) => path.startsWith(`/${name}/`))
      return path.replace(':id', String(ids[table ?? 'questions'])).replace(':course', course.slug)
    }
    return { program, at, course, ids }
  }

  test('what can’t be read is refused by every endpoint, where nothing would be compared as well', async () => {
    const { program, at } = await aThread()
    for (const { method, path, body } of ENDPOINTS) {
      if (body?.hasFile === true) continue
      for (const [name, value] of JUNK) {
        const refused = await program.send(method, at(path), undefined, { [name]: value })
        const where = `${method} ${path} ${name}: ${value}`
        assert.deepEqual([refused.statusCode, refused.json().code], [400, 'invalid_condition'], where)
        assert.match(refused.json().detail, new RegExp(name), where)
      }
    }
    assert.equal((await program.get('', { 'if-none-match': ' , "a" ,, W/"b,c"' })).statusCode, 200)
  })

  test('If-None-Match and If-Unmodified-Since hold for each write to a post, and let it through where they are true', async () => {
    const { program, at } = await aThread()
    for (const [method, path, body] of [
      ['PUT', '/questions/:id/vote', undefined],
      ['POST', '/questions/:id/answers', { body: 'An answer.' }],
      ['POST', '/answers/:id/replies', { body: 'A reply.' }],
      ['PATCH', '/replies/:id', { body: 'Another text.' }],
      ['DELETE', '/answers/:id', undefined],
      ['DELETE', '/questions/:id', undefined],
    ] as const) {
      const match = method === 'PATCH' ? { 'if-match': '"3"' } : undefined
      const send = (headers: Record<string, string>) =>
        program.send(method, at(path), body, { ...match, ...headers })
      for (const tags of ['*', '"3"', '"1", W/"3-abc"'])
        assert.equal((await send({ 'if-none-match': tags })).statusCode, 412, `${method} ${path} ${tags}`)
      if (match === undefined)
        assert.equal((await send({ 'if-unmodified-since': BEFORE })).statusCode, 412, `${method} ${path}`)
      const done = await send({ 'if-none-match': '"2", "abc"', 'if-unmodified-since': NOW })
      assert.ok(done.statusCode < 300, `${method} ${path} ${done.body}`)
    }
  })

  test('what has no version is named by * alone, and a case by its own', async () => {
    const { program, at, ids } = await aThread()
    const post = { title: 'Conditional', body: 'Is it?' }
    const ask = (headers: Record<string, string>) =>
      program.send('POST', at('/courses/:course/questions'), post, headers)
    assert.equal((await ask({ 'if-match': '"3"' })).statusCode, 412)
    assert.equal((await ask({ 'if-none-match': '*' })).statusCode, 412)
    assert.equal((await ask({ 'if-match': '*', 'if-none-match': '"3"' })).statusCode, 201)
    assert.equal((await ask({ 'if-unmodified-since': BEFORE })).statusCode, 201)
    const subject = { about: 'reply', id: ids.replies } as const
    await reported(forum.db, subject, null)
    const { id, version } = await caseOf(forum.db, subject)
    const decide = (tag: string) =>
      program.send('POST', `/cases/${id}/decision`, { decision: 'decline', version }, { 'if-match': tag })
    assert.equal((await decide(`"${version + 1}"`)).statusCode, 412)
    assert.equal((await decide(`"${version}"`)).statusCode, 200)
  })

  test('a read is refused where it was changed since, and where that is cached as well', async (t) => {
    const { app, db, changes } = await aHearingForum(t)
    const question = await aQuestion(db)
    await setRows(db, 'questions', question.id, { written_at: new Date(NOW) })
    const path = `/questions/${question.id}`
    const readers = [aProgram(app), aProgram(app, await aToken({ db }, await aPerson(db)))]
    await changes.caughtUp()
    for (const reader of readers)
      for (let count = 0; count < 3; count += 1) {
        const read = async (headers: Record<string, string>) => (await reader.get(path, headers)).statusCode
        assert.equal(await read({}), 200)
        assert.equal(await read({ 'if-unmodified-since': NOW }), 200)
        assert.equal(await read({ 'if-unmodified-since': BEFORE }), 412)
        assert.equal(await read({ 'if-none-match': 'abc' }), 400)
      }
  })

  test('a method that no endpoint has is told as such at each address', async () => {
    const { at } = await aThread()
    for (const { path } of ENDPOINTS)
      for (const method of ['PROPFIND', 'TRACE', 'QUERY'] as const) {
        const refused = await forum.app.inject({ method: method as 'GET', url: `/api/v1${at(path)}` })
        assert.equal(refused.statusCode, 405, `${method} ${path}`)
        assert.match(String(refused.headers.allow), /, OPTIONS$/)
      }
    const nowhere = await forum.app.inject({ method: 'PROPFIND' as 'GET', url: '/api/v1/nothing' })
    assert.equal(nowhere.statusCode, 404)
  })
})
