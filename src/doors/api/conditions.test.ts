import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { caseOf, reported } from '../../forum/cases/testing.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { aHearingForum, sharedForum } from '../../testing/forum.ts'
import { aDayAhead } from '../../testing/pass-time.ts'
import { setRows } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { ENDPOINTS } from './endpoints.ts'
import { aProgram } from './testing.ts'

const JUNK = [
  ...['if-match', 'if-none-match'].flatMap((name) =>
    ['abc', '', '3', '"a', 'W/3', ',,,', '*, "a"', "'a'", '"a" "b"'].map((value) => [name, value] as const),
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

  /** Posts at their third version, a program of staff and one of a classmate. */
  async function aThread() {
    const { db } = forum
    forum.app.apiRequests.count = () => ({ count: 1, ttl: 1000 })
    const course = await aCourse(db)
    const [staff, classmate] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question })
    const reply = await aReply(db, { answer })
    const ids = { questions: question.id, answers: answer.id, replies: reply.id } as const
    for (const table of ['questions', 'answers', 'replies'] as const)
      await setRows(db, table, ids[table], { version: 3, written_at: new Date(NOW), edited_at: null })
    const program = aProgram(forum.app, await aToken(forum, staff, ['read', 'write', 'staff']))
    const other = aProgram(forum.app, await aToken(forum, classmate, ['read', 'write']))
    const at = (path: string) => {
      const table = (['answers', 'replies'] as const).find((name) => path.startsWith(`/${name}/`))
      return path.replace(':id', String(ids[table ?? 'questions'])).replace(':course', course.slug)
    }
    return { program, other, at, course, ids }
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

  test('every PUT and DELETE compares If-Match with the version of the post, where it is sent', async () => {
    const acts = ENDPOINTS.filter(({ method }) => method === 'PUT' || method === 'DELETE')
    assert.ok(acts.length > 20)
    const { program, at, course } = await aThread()
    const original = await aQuestion(forum.db, { course })
    const sent = { reason: 'unclear', until: aDayAhead(3), of: original.id }
    // Deleting comes last: replies, answers, questions.
    const isLast = (path: string) => /^\/\w+\/:id$/.test(path)
    const ordered = [
      ...acts.filter(({ path }) => !isLast(path)),
      ...acts.filter(({ path }) => isLast(path)).reverse(),
    ]
    for (const { method, path, body } of ordered) {
      const where = `${method} ${path}`
      const fields = Object.entries(sent).filter(([name]) => body?.required.includes(name))
      const send = (tag: string) =>
        program.send(method, at(path), body === null ? undefined : Object.fromEntries(fields), {
          'if-match': tag,
        })
      for (const stale of ['"2"', '"2-abc", "4"', 'W/"1-abc"', '""', '"abc"'])
        assert.equal((await send(stale)).statusCode, 412, `${where} ${stale}`)
      for (const right of isLast(path) ? ['"3"'] : ['"3-abc"', '"1", W/"3-x"', ' * ']) {
        const done = await send(right)
        const expected = path.endsWith('/done') ? [204, 422] : [204]
        assert.ok(expected.includes(done.statusCode), `${where} ${right}: ${done.body}`)
      }
    }
  })

  test('If-Match tells nothing to those who may not do it, nothing is asked of those who send none, and deleting twice is once', async () => {
    const { program, other, at } = await aThread()
    for (const path of ['/replies/:id', '/answers/:id', '/questions/:id']) {
      for (const tag of ['"2"', '"3"'])
        assert.equal((await other.send('DELETE', at(path), undefined, { 'if-match': tag })).statusCode, 403)
      for (let count = 0; count < 2; count += 1)
        assert.equal((await program.send('DELETE', at(path))).statusCode, 204, path)
      assert.equal((await program.get(at(path))).statusCode, 410, path)
      assert.equal((await other.send('DELETE', at(path))).statusCode, 410, path)
    }
  })

  test('an edit that is committed while a write waits makes it stale', async () => {
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { body: 'Mine' }],
    ] as const) {
      const { program, ids, at } = await aThread()
      const { sent } = await forum.db.transaction().execute(async (write) => {
        await setRows(write, 'questions', ids.questions, { version: 4, title: 'Another text' })
        const sent = program.send(method, at('/questions/:id'), body, { 'if-match': '"3"' })
        await untilWaiting(forum.db)
        return { sent }
      })
      assert.equal((await sent).statusCode, 412, method)
      assert.equal((await program.get(at('/questions/:id'))).json().version, 4, method)
    }
  })

  test('a PATCH that changes nothing makes no version and leaves no mark', async () => {
    const { program, at } = await aThread()
    for (const path of ['/questions/:id', '/answers/:id', '/replies/:id']) {
      const before = (await program.get(at(path))).json()
      const patches: Record<string, unknown>[] = [
        {},
        { body: before.body },
        { body: `\n${before.body}  `, reason: 'None' },
      ]
      if (path === '/questions/:id')
        patches.push({ title: before.title, tags: before.tags, category: before.category })
      for (const patch of patches) {
        const same = await program.send('PATCH', at(path), patch, { 'if-match': '"3"' })
        assert.deepEqual([same.statusCode, same.json()], [200, before], path)
      }
      const changed = await program.send('PATCH', at(path), { body: 'Another text.' }, { 'if-match': '"3"' })
      assert.deepEqual([changed.json().version, typeof changed.json().edited_at], [4, 'string'])
    }
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
