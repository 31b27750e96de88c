import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { caseOf, decided, reported } from '../../forum/cases/testing.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { aProgram } from './testing.ts'

suite('programs moderate', () => {
  const forum = sharedForum()

  async function aScene() {
    const course = await aCourse(forum.db)
    const author = await aMember(forum.db, course)
    const reporter = await aMember(forum.db, course)
    const assistant = await aMember(forum.db, course, 'assistant')
    const instructor = await aMember(forum.db, course, 'instructor')
    const question = await aQuestion(forum.db, { course })
    const answer = await anAnswer(forum.db, { question, author, body: 'Read the **manual**.' })
    const subject = { about: 'answer', id: answer.id } as const
    await reported(forum.db, subject, reporter.id, { reason: 'rude', note: 'Unfriendly' })
    const { id } = await caseOf(forum.db, subject)
    const tokenOf = (person: { readonly id: number }) => aToken(forum, person, ['read', 'write', 'staff'])
    const program = aProgram(forum.app, await tokenOf(assistant))
    return { ...{ course, author, reporter, assistant, instructor, question, answer, id }, tokenOf, program }
  }

  test('reports of a course, one case whole, and its decision by the version that was read', async () => {
    const { course, author, reporter, instructor, answer, question, id, tokenOf, program } = await aScene()
    const listed = (await program.get(`/courses/${course.slug}/cases`)).json()
    assert.deepEqual(
      listed.items.map((one: Record<string, unknown>) => [one.id, one.about, one.answer, one.reports_count]),
      [[id, 'answer', answer.id, 1]],
    )
    const read = await program.get(`/cases/${id}`)
    const whole = read.json()
    assert.deepEqual([whole.author.id, whole.state, whole.version], [author.id, 'open', 1])
    assert.deepEqual([whole.snapshots[0].body, whole.reports[0].note], ['Read the **manual**.', 'Unfriendly'])
    assert.equal(whole.reports[0].reporter, null, 'assistants do not learn who reported')
    const named = (await aProgram(forum.app, await tokenOf(instructor)).get(`/cases/${id}`)).json()
    assert.equal(named.reports[0].reporter.id, reporter.id)
    assert.equal(
      (await program.get(`/cases/${id}`, { 'if-none-match': String(read.headers.etag) })).statusCode,
      304,
    )

    const path = `/cases/${id}/decision`
    const decision = {
      decision: 'uphold',
      version: 1,
      measure: ['hide', 'suspend'],
      suspend: 3,
      rule: 'Be kind',
    }
    for (const [wrong, status] of [
      [{ ...decision, version: 2 }, 409],
      [{ ...decision, measure: [] }, 422],
      [{ ...decision, measure: ['praise'] }, 422],
      [{ ...decision, suspend: 'long' }, 422],
      [{ ...decision, everywhere: true }, 422],
      [{ ...decision, version: 1.5 }, 422],
      [{ ...decision, version: '99999999999' }, 422],
      [{ decision: 'perhaps', version: 1 }, 422],
    ] as const)
      assert.equal((await program.send('POST', path, wrong)).statusCode, status, JSON.stringify(wrong))
    const key = { 'idempotency-key': `case-${id}` }
    const done = await program.send('POST', path, decision, key)
    assert.equal(done.statusCode, 200, done.body)
    assert.deepEqual([done.json().state, done.json().rule, done.json().version], ['upheld', 'Be kind', 2])
    assert.deepEqual(
      done.json().measures.map(({ measure }: { measure: string }) => measure),
      ['hide', 'suspend'],
    )
    assert.equal((await program.send('POST', path, decision, key)).headers['idempotent-replayed'], 'true')
    assert.equal((await program.send('POST', path, { decision: 'decline', version: 2 })).statusCode, 409)
    assert.equal((await program.get(`/courses/${course.slug}/cases`)).json().items.length, 0)
    const closed = (await program.get(`/courses/${course.slug}/cases?view=decided`)).json()
    assert.deepEqual([closed.items[0].id, closed.items[0].state], [id, 'upheld'])

    // Who is suspended reads, and is told until when they write nothing.
    const suspended = aProgram(forum.app, await aToken(forum, author, ['read', 'write']))
    const refused = await suspended.send('POST', `/questions/${question.id}/answers`, { body: 'Why?' })
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'suspended'])
    assert.match(refused.json().detail, /suspended/)
    assert.equal((await suspended.get(`/questions/${question.id}`)).statusCode, 200)
  })

  test('not for others: no case is there for them, whether there is one or not', async () => {
    const { course, author, reporter, assistant, id, tokenOf } = await aScene()
    const elsewhere = await aCourse(forum.db)
    const outside = await aMember(forum.db, elsewhere, 'instructor')
    const body = { decision: 'decline', version: 1 }
    for (const person of [author, reporter, outside, await aPerson(forum.db)]) {
      const program = aProgram(forum.app, await tokenOf(person))
      for (const number of [id, 99_999_999]) {
        assert.equal((await program.get(`/cases/${number}`)).statusCode, 404)
        assert.equal((await program.send('POST', `/cases/${number}/decision`, body)).statusCode, 404)
      }
      assert.equal((await program.get(`/courses/${course.slug}/cases`)).statusCode, 403)
    }
    const learner = aProgram(forum.app, await aToken(forum, assistant, ['read', 'write']))
    assert.equal((await learner.get(`/cases/${id}`)).json().code, 'insufficient_scope')
    const away = aProgram(forum.app, await aToken(forum, assistant, ['read', 'write', 'staff'], elsewhere.id))
    assert.equal((await away.send('POST', `/cases/${id}/decision`, body)).statusCode, 404)
    assert.equal((await away.get(`/cases/${id}`)).statusCode, 404)
    assert.equal((await aProgram(forum.app).get(`/cases/${id}`)).statusCode, 401)
    const own = aProgram(forum.app, await aCourseToken(forum, course))
    assert.equal((await own.get(`/cases/${id}`)).json().id, id, 'a course token reads what an assistant may')
    assert.equal((await own.get(`/courses/${course.slug}/cases`)).json().items.length, 1)
    assert.equal((await own.send('POST', `/cases/${id}/decision`, body)).statusCode, 403)
  })

  test('a list holds what its reader may handle, with the rights of the token', async () => {
    const { course, assistant, instructor, tokenOf } = await aScene()
    const said = await aQuestion(forum.db, { course, author: assistant })
    const subject = { about: 'question', id: said.id } as const
    await reported(forum.db, subject, null)
    const { id } = await caseOf(forum.db, subject)
    const ids = async (token: string) =>
      (await aProgram(forum.app, token).get(`/courses/${course.slug}/cases`))
        .json()
        .items.map((one: { id: number }) => one.id)
    assert.ok(!(await ids(await tokenOf(assistant))).includes(id), 'no equal handles it')
    assert.ok(!(await ids(await aCourseToken(forum, course))).includes(id))
    assert.ok((await ids(await tokenOf(instructor))).includes(id))
    const admin = await aPerson(forum.db, { isAdmin: true })
    assert.ok((await ids(await tokenOf(admin))).includes(id))
    assert.ok((await ids(await aToken(forum, admin, ['staff'], course.id))).includes(id))
  })

  test('in pages', async () => {
    const { course, program, assistant } = await aScene()
    const all: number[] = []
    for (let count = 0; count < 4; count += 1) {
      const { id } = await aQuestion(forum.db, { course })
      await reported(forum.db, { about: 'question', id }, null)
      const matter = await caseOf(forum.db, { about: 'question', id })
      await decided(forum.db, assistant.id, matter, [])
      all.unshift(matter.id)
    }
    const first = await program.get(`/courses/${course.slug}/cases?view=decided&limit=3`)
    const [, next = ''] = /<.*\/api\/v1(.*)>; rel="next"/.exec(String(first.headers.link)) ?? []
    const second = await program.get(next)
    const seen = [first, second].flatMap((page) => page.json().items.map(({ id }: { id: number }) => id))
    assert.deepEqual(seen, all)
    assert.equal(second.headers.link, undefined)
  })

  test('what is held is listed with why, read by its author as held, and released once', async () => {
    const { db } = forum
    const { course, author, assistant, question, tokenOf, program } = await aScene()
    const waiting = { held_at: new Date(), held_for: 'newcomers' } as const
    const { id } = await anAnswer(db, { question, author, body: 'Use **PATCH**.' })
    await setRows(db, 'answers', id, waiting)
    const path = `/courses/${course.slug}/held`
    const [held, ...others] = (await program.get(path)).json().items
    assert.deepEqual(others, [])
    const seen = [held.kind, held.id, held.question, held.body, held.author.id, held.held_for]
    assert.deepEqual(seen, ['answer', id, question.id, 'Use **PATCH**.', author.id, 'newcomers'])
    const own = aProgram(forum.app, await tokenOf(author))
    assert.equal((await own.get(`/answers/${id}`)).json().state, 'held')
    assert.equal((await own.get(path)).statusCode, 403)
    assert.equal((await aProgram(forum.app, null).get(`/answers/${id}`)).statusCode, 404)
    assert.equal((await own.send('PUT', `/answers/${id}/release`, {})).statusCode, 403)
    for (const _ of [1, 2])
      assert.equal((await program.send('PUT', `/answers/${id}/release`, {})).statusCode, 204)
    assert.deepEqual((await program.get(path)).json().items, [])
    assert.equal((await own.get(`/answers/${id}`)).json().state, null)
    assert.equal((await rowsOf(db, 'audit', { act: 'post-released', actor_id: assistant.id })).length, 1)
  })
})
