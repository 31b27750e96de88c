import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { revokeToken } from '../../accounts/tokens/token.ts'
import { recount } from '../../database/recount.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { aDayAhead } from '../../testing/pass-time.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { until, untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { aProgram } from './testing.ts'

suite('programs write', () => {
  const forum = sharedForum()

  test('a question, an answer and replies: created, changed, deleted', async () => {
    const course = await aCourse(forum.db, { lectures: ['One'] })
    const learner = await aMember(forum.db, course)
    const program = aProgram(forum.app, await aToken(forum, learner, ['read', 'write']))
    const asked = await program.send('POST', `/courses/${course.slug}/questions`, {
      ...{ title: 'May PATCH create?', body: 'I **wonder**.', tags: ['rest', 'patch'], lecture: 1 },
    })
    assert.equal(asked.statusCode, 201, asked.body)
    const question = asked.json()
    assert.equal(asked.headers.location, `http://localhost:3000/api/v1/questions/${question.id}`)
    assert.deepEqual(
      [question.author.id, question.tags, question.lecture],
      [learner.id, ['rest', 'patch'], 1],
    )

    const path = `/questions/${question.id}`
    const etag = String(asked.headers.etag)
    assert.equal((await program.send('PATCH', path, { title: 'Without a version' })).statusCode, 428)
    const put = { title: 'May PUT create?', lecture: null }
    const edited = await program.send('PATCH', path, put, { 'if-match': etag })
    assert.equal(edited.statusCode, 200, edited.body)
    assert.deepEqual(
      [edited.json().title, edited.json().lecture, edited.json().body, edited.json().version],
      ['May PUT create?', null, 'I **wonder**.', 2],
    )
    const stale = await program.send('PATCH', path, { title: 'From before' }, { 'if-match': etag })
    assert.equal(stale.statusCode, 412)
    // A vote changes the answer, and makes no edit stale.
    const before = String((await program.get(path)).headers.etag)
    const voter = aProgram(forum.app, await aToken(forum, await aMember(forum.db, course), ['write']))
    for (let count = 0; count < 2; count += 1)
      assert.equal((await voter.send('PUT', `${path}/vote`)).statusCode, 204)
    const after = await program.get(path)
    assert.notEqual(after.headers.etag, before)
    assert.equal(after.json().votes_count, 1)
    const more = await program.send('PATCH', path, { body: 'More.' }, { 'if-match': before })
    assert.equal(more.statusCode, 200)

    const answered = await program.send('POST', `${path}/answers`, { body: 'It may.' })
    assert.equal(answered.statusCode, 201, answered.body)
    const answer = `/answers/${answered.json().id}`
    const replied = await program.send('POST', `${answer}/replies`, { body: 'Thank you.' })
    assert.equal(replied.json().is_asker, true)
    assert.equal((await program.send('POST', `${path}/replies`, { body: 'A detail.' })).statusCode, 201)
    const change = { body: 'It may, says RFC 9110.' }
    const tag = String(answered.headers.etag)
    assert.equal((await program.send('PATCH', answer, change, { 'if-match': tag })).json().body, change.body)
    assert.equal((await program.send('PUT', `${answer}/acceptance`)).statusCode, 204)
    assert.equal((await program.get(path)).json().status, 'resolved')
    assert.equal((await program.send('DELETE', `${path}/resolution`)).statusCode, 204)
    assert.equal((await program.send('DELETE', `/replies/${replied.json().id}`)).statusCode, 204)
    assert.equal((await program.get(`/replies/${replied.json().id}`)).statusCode, 410)
    assert.equal((await program.send('DELETE', path)).statusCode, 204)
    assert.equal((await program.get(path)).statusCode, 410)
    assert.deepEqual(await recount(forum.db, { fix: false }), [])
  })

  test('what is wrong is told field by field', async () => {
    const course = await aCourse(forum.db)
    const program = aProgram(forum.app, await aToken(forum, await aMember(forum.db, course), ['write']))
    const send = (body: unknown) => program.send('POST', `/courses/${course.slug}/questions`, body)
    const refused = await send({ title: 'No', body: '', tags: ['a b c!'] })
    assert.equal(refused.statusCode, 422)
    const pointers = refused.json().errors.map(({ pointer }: { pointer: string }) => pointer)
    assert.deepEqual(pointers.toSorted(), ['/body', '/tags', '/title'])
    assert.equal((await send([])).statusCode, 400)
    assert.equal((await send('{')).json().code, 'invalid_json')
    const path = `/courses/${course.slug}/questions`
    const plain = await program.send('POST', path, 'x', { 'content-type': 'text/plain' })
    assert.equal(plain.statusCode, 415)
    assert.equal((await send({ title: 'x'.repeat(600_000), body: 'x' })).statusCode, 413)
  })

  test('a merge patch of a post is taken by PATCH, which says so, and by nothing else', async () => {
    const course = await aCourse(forum.db, { lectures: ['One'] })
    const author = await aMember(forum.db, course)
    const [lectureId = 0] = course.lectureIds
    const question = await aQuestion(forum.db, { course, author, lectureId, tags: ['http'] })
    const program = aProgram(forum.app, await aToken(forum, author, ['read', 'write']))
    const path = `/questions/${question.id}`
    const patch = { 'if-match': '*', 'content-type': 'application/merge-patch+json' }
    const accepted = 'application/json, application/merge-patch+json'
    const patched = await program.send('PATCH', path, { lecture: null, title: 'Patched' }, patch)
    assert.deepEqual(
      [patched.statusCode, patched.json().lecture, patched.json().title],
      [200, null, 'Patched'],
    )
    assert.deepEqual(patched.json().tags, ['http'])
    assert.equal((await program.send('POST', `${path}/answers`, { body: 'No.' }, patch)).statusCode, 415)
    const refused = await program.send('PATCH', path, '<x/>', { 'content-type': 'application/xml' })
    const options = await forum.app.inject({ method: 'OPTIONS', url: `/api/v1${path}` })
    for (const { headers } of [patched, refused, options]) assert.equal(headers['accept-patch'], accepted)
    assert.equal(refused.statusCode, 415)
  })

  test('no more than the token says: scope, course, and the role of staff', async () => {
    const course = await aCourse(forum.db)
    const other = await aCourse(forum.db)
    const staff = await aMember(forum.db, course, 'instructor')
    await aMember(forum.db, other, 'instructor', staff)
    const question = await aQuestion(forum.db, { course })
    const answer = await anAnswer(forum.db, { question })
    const status = async (token: string, method: 'PUT' | 'DELETE' | 'POST', path: string, body?: unknown) =>
      (await aProgram(forum.app, token).send(method, path, body)).statusCode
    const reader = await aToken(forum, staff, ['read', 'staff'])
    assert.equal(await status(reader, 'PUT', `/questions/${question.id}/vote`), 403)
    const learner = await aToken(forum, staff, ['read', 'write'])
    assert.equal(await status(learner, 'PUT', `/answers/${answer.id}/endorsement`), 403)
    assert.equal(await status(learner, 'DELETE', `/questions/${question.id}`), 403)
    assert.equal(await status(learner, 'PUT', `/questions/${question.id}/vote`), 204)
    const away = await aToken(forum, staff, ['read', 'write', 'staff'], other.id)
    assert.equal(await status(away, 'POST', `/questions/${question.id}/answers`, { body: 'No' }), 403)
    const ofCourse = await aCourseToken(forum, course)
    assert.equal(await status(ofCourse, 'PUT', `/questions/${question.id}/vote`), 403)
    const whole = await aToken(forum, staff, ['read', 'write', 'staff'])
    const day = aDayAhead(3)
    const original = await aQuestion(forum.db, { course })
    for (const [path, body] of [
      [`/answers/${answer.id}/endorsement`, undefined],
      [`/questions/${question.id}/assignment`, undefined],
      [`/questions/${question.id}/snooze`, { until: day }],
      [`/questions/${question.id}/pin`, { until: day }],
      [`/questions/${question.id}/duplicate`, { of: original.id }],
    ] as const) {
      assert.equal(await status(whole, 'PUT', path, body), 204, path)
      assert.equal(await status(whole, 'DELETE', path), 204, path)
    }
    assert.equal(await status(whole, 'PUT', `/questions/${question.id}/done`), 422)
    assert.equal(await status(whole, 'PUT', `/questions/${question.id}/following`), 204)
    assert.equal(await status(whole, 'DELETE', `/questions/${question.id}`), 204)
  })

  test('once for one key: the same again, another body refused, nothing kept of what was refused', async () => {
    const course = await aCourse(forum.db)
    const learner = await aMember(forum.db, course)
    const program = aProgram(forum.app, await aToken(forum, learner, ['read', 'write']))
    const path = `/courses/${course.slug}/questions`
    const key = { 'idempotency-key': 'once-1' }
    const body = { title: 'Only once', body: 'Or twice?' }
    assert.equal((await program.send('POST', path, { ...body, title: '' }, key)).statusCode, 422)
    const first = await program.send('POST', path, body, key)
    assert.equal(first.statusCode, 201)
    const again = await program.send('POST', path, body, key)
    assert.deepEqual(
      [again.statusCode, again.headers['idempotent-replayed'], again.headers.location, again.body],
      [201, 'true', first.headers.location, first.body],
    )
    const other = await program.send('POST', path, { ...body, body: 'Else' }, key)
    assert.deepEqual([other.statusCode, other.json().code], [422, 'key_reused'])
    // The key is looked at before the version.
    const edit = { 'idempotency-key': 'once-2', 'if-match': String(first.headers.etag) }
    const question = `/questions/${first.json().id}`
    assert.equal((await program.send('PATCH', question, { body: 'Twice' }, edit)).statusCode, 200)
    const replayed = await program.send('PATCH', question, { body: 'Twice' }, edit)
    assert.deepEqual([replayed.statusCode, replayed.headers['idempotent-replayed']], [200, 'true'])
    const twins = await Promise.all(
      Array.from({ length: 8 }, () =>
        program.send('POST', path, { title: 'Twins', body: 'x' }, { 'idempotency-key': 'twin' }),
      ),
    )
    assert.ok(twins.every(({ statusCode }) => statusCode === 201 || statusCode === 409))
    assert.equal((await rowsOf(forum.db, 'questions', { title: 'Twins' })).length, 1)
  })

  test('a twin of a request that is still running is refused at once, and the request is done', async () => {
    const course = await aCourse(forum.db)
    const question = await aQuestion(forum.db, { course })
    const program = aProgram(forum.app, await aToken(forum, await aMember(forum.db, course), ['write']))
    const key = { 'idempotency-key': 'held' }
    const send = () => program.send('POST', `/questions/${question.id}/answers`, { body: 'Once' }, key)
    const { first } = await forum.db.transaction().execute(async (write) => {
      await write.selectFrom('questions').select('id').where('id', '=', question.id).forUpdate().execute()
      const first = send()
      const isRunning = sql<{ keys: number }>`
        select count(*)::integer as keys from pg_locks where locktype = 'advisory' and granted and objsubid = 1
          and database = (select oid from pg_database where datname = current_database())`
      await until('it is running', async () => (await isRunning.execute(forum.db)).rows[0]?.keys !== 0)
      const twin = await send()
      assert.deepEqual([twin.statusCode, twin.json().code], [409, 'key_in_use'])
      return { first }
    })
    assert.equal((await first).statusCode, 201)
    assert.equal((await send()).headers['idempotent-replayed'], 'true')
  })

  test('of two changes with one version, one', async () => {
    const course = await aCourse(forum.db)
    const author = await aMember(forum.db, course)
    const question = await aQuestion(forum.db, { course, author })
    const program = aProgram(forum.app, await aToken(forum, author, ['read', 'write']))
    const etag = String((await program.get(`/questions/${question.id}`)).headers.etag)
    const answers = await Promise.all(
      ['One', 'Two', 'Three'].map((body) =>
        program.send('PATCH', `/questions/${question.id}`, { body }, { 'if-match': etag }),
      ),
    )
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).toSorted(), [200, 412, 412])
  })

  test('with a token that was revoked, or a role that was lost, while the request ran: nothing', async () => {
    const course = await aCourse(forum.db)
    const staff = await aMember(forum.db, course, 'assistant')
    const question = await aQuestion(forum.db, { course })
    const token = await aToken(forum, staff, ['read', 'write', 'staff'])
    const program = aProgram(forum.app, token)
    const held = async (meanwhile: () => Promise<unknown>, send: () => ReturnType<typeof program.get>) => {
      const sent = await forum.db.transaction().execute(async (write) => {
        await write.selectFrom('questions').select('id').where('id', '=', question.id).forUpdate().execute()
        const waiting = send()
        await untilWaiting(forum.db)
        await meanwhile()
        return { waiting }
      })
      return (await sent.waiting).statusCode
    }
    const demoted = await held(
      () => setRows(forum.db, 'course_members', { person_id: staff.id }, { role: 'learner' }),
      () => program.send('DELETE', `/questions/${question.id}`),
    )
    assert.equal(demoted, 403)
    const { id } = await rowOf(forum.db, 'api_tokens', { person_id: staff.id })
    const revoked = await held(
      () => within(forum.db, revokeToken, { personId: staff.id, courseId: null }, id),
      () => program.send('PUT', `/questions/${question.id}/vote`),
    )
    assert.equal(revoked, 401)
    assert.equal((await program.get('/me')).statusCode, 401)
  })
})
