import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { revokeToken } from '../../accounts/tokens/token.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { until, untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { aProgram } from './testing.ts'

suite('programs write', () => {
  const forum = sharedForum()

  test('a question: created, and changed by the version that was read, which a vote leaves as it is', async () => {
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
  })

  test('what is wrong is told field by field', async () => {
    const course = await aCourse(forum.db)
    const program = aProgram(forum.app, await aToken(forum, await aMember(forum.db, course), ['write']))
    const send = (body: unknown) => program.send('POST', `/courses/${course.slug}/questions`, body)
    const refused = await send({ title: 'No', body: '', tags: ['a b c!'] })
    assert.equal(refused.statusCode, 422)
    const pointers = refused.json().errors.map(({ pointer }: { pointer: string }) => pointer)
    assert.deepEqual(pointers.toSorted(), ['/body', '/tags', '/title'])
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
    const path = `/questions/${question.id}`
    const ofStaff = ['read', 'write', 'staff'] as const
    for (const [token, method, at, expected] of [
      [await aToken(forum, staff, ['read', 'staff']), 'PUT', `${path}/vote`, 403],
      [await aCourseToken(forum, course), 'PUT', `${path}/vote`, 403],
      [await aToken(forum, staff, ['read', 'write']), 'PUT', `/answers/${answer.id}/endorsement`, 403],
      [await aToken(forum, staff, ['read', 'write']), 'DELETE', path, 403],
      [await aToken(forum, staff, ['read', 'write']), 'PUT', `${path}/vote`, 204],
      [await aToken(forum, staff, ofStaff, other.id), 'POST', `${path}/answers`, 403],
      [await aToken(forum, staff, ofStaff), 'PUT', `${path}/done`, 422],
      [await aToken(forum, staff, ofStaff), 'PUT', `/answers/${answer.id}/endorsement`, 204],
      [await aToken(forum, staff, ofStaff), 'DELETE', path, 204],
    ] as const) {
      const body = method === 'POST' ? { body: 'No' } : undefined
      assert.equal((await aProgram(forum.app, token).send(method, at, body)).statusCode, expected, at)
    }
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
