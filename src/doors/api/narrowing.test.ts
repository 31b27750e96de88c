import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import type { TokenScope } from '../../database/schema.ts'
import { NEWCOMERS } from '../../kernel/limits.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { setRows } from '../../testing/rows.ts'
import { ENDPOINTS } from './endpoints.ts'
import { aProgram } from './testing.ts'

const WRITE: readonly TokenScope[] = ['read', 'write']

suite('a token that leaves its owner fewer rights', () => {
  const forum = sharedForum()

  async function anonymousCourse() {
    const course = await aCourse(forum.db)
    await setRows(forum.db, 'courses', course.id, { allows_anonymous: true })
    return course
  }

  /** Statuses of everything that can be posted anonymously. */
  async function postedAnonymously(token: string, course: MadeCourse) {
    const question = await aQuestion(forum.db, { course })
    const answer = await anAnswer(forum.db, { question })
    const program = aProgram(forum.app, token)
    const post = async (path: string, fields: object) =>
      (await program.send('POST', path, { body: 'Who says this?', anonymous: true, ...fields })).statusCode
    return [
      await post(`/courses/${course.slug}/questions`, { title: 'Who asks this?' }),
      await post(`/questions/${question.id}/answers`, {}),
      await post(`/questions/${question.id}/replies`, {}),
      await post(`/answers/${answer.id}/replies`, {}),
    ]
  }

  test('lets staff post under no stand-in, of whatever scope and course it is', async () => {
    const course = await anonymousCourse()
    const assistant = await aMember(forum.db, course, 'assistant')
    const admin = await aPerson(forum.db, { isAdmin: true })
    for (const person of [assistant, admin])
      for (const scopes of [WRITE, [...WRITE, 'staff'] as const])
        for (const courseId of [null, course.id]) {
          const token = await aToken(forum, person, scopes, courseId)
          const why = `${person.id} ${scopes} ${courseId}`
          assert.deepEqual(await postedAnonymously(token, course), [422, 422, 422, 422], why)
        }
    const learner = await aToken(forum, await aMember(forum.db, course), WRITE, course.id)
    assert.deepEqual(await postedAnonymously(learner, course), [201, 201, 201, 201])
  })

  test('lets staff hide no name afterwards', async () => {
    const course = await anonymousCourse()
    const [assistant, learner] = [
      await aMember(forum.db, course, 'assistant'),
      await aMember(forum.db, course),
    ]
    const hide = async (author: { readonly id: number }) => {
      const question = await aQuestion(forum.db, { course, author })
      const answer = await anAnswer(forum.db, { question, author })
      const program = aProgram(forum.app, await aToken(forum, author, WRITE))
      const patch = async (path: string) =>
        (await program.send('PATCH', path, { anonymous: true }, { 'if-match': '"1"' })).statusCode
      return [await patch(`/questions/${question.id}`), await patch(`/answers/${answer.id}`)]
    }
    assert.deepEqual(await hide(assistant), [422, 422])
    assert.deepEqual(await hide(learner), [200, 200])
  })

  test('makes no newcomers of staff, nor of admins', async () => {
    const [course, other] = [await aCourse(forum.db), await aCourse(forum.db)]
    const [assistant, learner] = [await aMember(forum.db, other, 'assistant'), await aMember(forum.db, other)]
    const admin = await aPerson(forum.db, { isAdmin: true })
    const ids = [assistant.id, learner.id, admin.id]
    const tomorrow = { new_until: sql<Date>`now() + interval '1 day'` }
    await forum.db.updateTable('people').set(tomorrow).where('id', 'in', ids).execute()
    const links = Array.from({ length: NEWCOMERS.links + 1 }, (_, at) => `https://example.org/${at}`)
    const ask = async (person: { readonly id: number }, courseId: number | null) => {
      const program = aProgram(forum.app, await aToken(forum, person, WRITE, courseId))
      const asked = { title: 'Are these all?', body: links.join('\n\n') }
      return (await program.send('POST', `/courses/${course.slug}/questions`, asked)).statusCode
    }
    for (const courseId of [null, course.id]) {
      assert.equal(await ask(assistant, courseId), 201)
      assert.equal(await ask(admin, courseId), 201)
      assert.equal(await ask(learner, courseId), 422)
    }
  })

  test('brings admins into the course where they post, as the form does', async () => {
    const course = await aCourse(forum.db)
    const admin = await aPerson(forum.db, { isAdmin: true })
    const program = aProgram(forum.app, await aToken(forum, admin, WRITE, course.id))
    const asked = { title: 'Is this on?', body: 'One, two.' }
    assert.equal((await program.send('POST', `/courses/${course.slug}/questions`, asked)).statusCode, 201)
    const role = forum.db.selectFrom('course_members').select('role').where('person_id', '=', admin.id)
    assert.deepEqual(await role.execute(), [{ role: 'learner' }])
  })

  test('is a course’s own: it writes nothing at all', async () => {
    const course = await aCourse(forum.db)
    const program = aProgram(forum.app, await aCourseToken(forum, course))
    const writes = ENDPOINTS.filter(({ method }) => method !== 'GET')
    assert.ok(writes.length > 20)
    for (const { method, path } of writes) {
      const answer = await program.send(method, path.replace(':course', course.slug).replace(':id', '1'), {})
      assert.equal(answer.statusCode, 403, `${method} ${path}: ${answer.body}`)
    }
  })
})
