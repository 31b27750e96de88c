import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { numberEvents, numberingKind } from '../../forum/events/numbering.ts'
import { numberAt } from '../../forum/events/testing.ts'
import { withdrawQuestion } from '../../forum/questions/audience.ts'
import { testApp } from '../../testing/app.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { openEventStream } from '../../testing/event-stream.ts'
import { aHearingForum, sharedForumThatHears } from '../../testing/forum.ts'
import { until } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { nowOf } from './testing.ts'

suite('streams of events', () => {
  const forum = sharedForumThatHears()

  test('tell of what happens from now on, each with the cursor that goes on after it', async (t) => {
    const { db, app } = forum
    const course = await aCourse(db)
    const early = await aQuestion(db, { course })
    await numberEvents(db)
    const stream = await open(t, app, `?course=${course.slug}`)
    for (const [name, value] of Object.entries({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      'cache-control': 'private, no-store',
      'content-encoding': undefined,
      'access-control-allow-origin': '*',
    }))
      assert.equal(stream.response.headers[name], value, name)
    const [one, two] = [await aQuestion(db, { course }), await aQuestion(db, { course })]
    await numberEvents(db)
    await stream.tells(two.id)
    assert.ok(!stream.told().includes(early.id))
    assert.match(stream.text(), /\nid: ([\w-]{22})\nevent: question\.created\ndata: \{"id":"\1","type":/)

    const ids = [...stream.text().matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id)
    const again = await open(t, app, `?course=${course.slug}`, null, { 'last-event-id': ids[0] ?? '' })
    await again.tells(two.id)
    assert.deepEqual(again.told(), [two.id], 'what came before is told no more')
    assert.deepEqual(stream.told(), [one.id, two.id])
  })

  test('begin where a program was, however much happened since', async (t) => {
    const { db, app } = forum
    const course = await aCourse(db)
    const after = await nowOf(forum)
    const questions: number[] = []
    for (let count = 0; count < 45; count += 1) questions.push((await aQuestion(db, { course })).id)
    await numberEvents(db)
    const stream = await open(t, app, `?after=${after}&course=${course.slug}`)
    await stream.tells(questions.at(-1) ?? 0)
    assert.deepEqual(stream.told(), questions)
  })

  test('tell each only what they may read, now', async (t) => {
    const { db, app } = forum
    const course = await aCourse(db, { isPublic: false })
    const [asker, learner] = [await aMember(db, course), await aMember(db, course)]
    const path = `?course=${course.slug}`
    const [own, others, staffs] = [
      await open(t, app, path, await aToken(forum, asker)),
      await open(t, app, path, await aToken(forum, learner)),
      await open(t, app, path, await aCourseToken(forum, course)),
    ]
    const visitors = await open(t, app, '')
    const kept = await aQuestion(db, { course, author: asker, audience: 'staff' })
    const open1 = await aQuestion(db, { course })
    await numberEvents(db)
    for (const stream of [own, others, staffs]) await stream.tells(open1.id)
    assert.deepEqual(own.told(), [kept.id, open1.id])
    assert.deepEqual(staffs.told(), [kept.id, open1.id])
    assert.deepEqual(others.told(), [open1.id])
    const elsewhere = await aQuestion(db)
    await numberEvents(db)
    await visitors.tells(elsewhere.id)
    assert.deepEqual(visitors.told(), [elsewhere.id])
    await within(db, withdrawQuestion, open1.id)
    await numberEvents(db)
    await others.says('event: question.removed')
  })

  test('end with their token, the role or the course, and others go on', async (t) => {
    const { db, app, changes } = forum
    const course = await aCourse(db, { isPublic: false })
    const [one, two, staff] = [
      await aMember(db, course),
      await aMember(db, course),
      await aMember(db, course, 'assistant'),
    ]
    const path = `?course=${course.slug}`
    const [ended, kept, roles] = [
      await open(t, app, path, await aToken(forum, one)),
      await open(t, app, path, await aToken(forum, two)),
      await open(t, app, path, await aToken(forum, staff, ['read', 'staff'])),
    ]
    await db.deleteFrom('api_tokens').where('person_id', '=', one.id).execute()
    await ended.ends()
    const learner = { role: 'learner' } as const
    await db.updateTable('course_members').set(learner).where('person_id', '=', staff.id).execute()
    await roles.ends()
    await changes.caughtUp()
    assert.ok(!kept.hasEnded())
    await db.deleteFrom('course_members').where('person_id', '=', two.id).execute()
    await kept.ends()

    const ofCourse = await open(t, app, path, await aCourseToken(forum, course))
    await db.deleteFrom('api_tokens').where('course_id', '=', course.id).execute()
    await ofCourse.ends()
    const open1 = await aCourse(db)
    const visitors = await open(t, app, `?course=${open1.slug}`)
    await sql`update courses set is_public = false where id = ${open1.id}`.execute(db)
    await visitors.ends()
  })

  test('end when the time of their token is over', async (t) => {
    const { db, app } = forum
    const stream = await open(t, app, '', await aToken(forum, await aMember(db, await aCourse(db))))
    const visitors = await open(t, app, '')
    app.eventStreams.endExpired(Date.now())
    app.eventStreams.endExpired(Date.now() + 100 * 86_400_000)
    await stream.ends()
    assert.ok(!visitors.hasEnded())
  })

  test('are kept by a comment, with the place that they are at', async (t) => {
    const { db, app } = forum
    const course = await aCourse(db, { isPublic: false })
    const stream = await open(t, app, '')
    await aQuestion(db, { course })
    const now = await numberAt(db, await nowOf(forum))
    await until('it has come to what it may not read', async () => {
      await app.eventStreams.keepAlive()
      const [, place] = /:\nid: (.+)\n\n$/.exec(stream.text()) ?? []
      return place !== undefined && (await numberAt(db, place)) === now
    })
    assert.deepEqual(stream.told(), [])
  })

  test('are five for an account, whatever its tokens, and fifty for a network', async (t) => {
    const { db, app } = await aHearingForum(t)
    const person = await aMember(db, await aCourse(db))
    const tokens = [await aToken({ db }, person), await aToken({ db }, person, ['read', 'write'])]
    for (let count = 0; count < 5; count += 1) await open(t, app, '', tokens[count % 2])
    const refused = await openEventStream(t, app, '/api/v1/events', headersOf(tokens[0] ?? ''))
    assert.equal(refused.response.statusCode, 429)
    assert.ok(Number(refused.response.headers['retry-after']) > 0)
    for (let count = 5; count < 50; count += 1) await open(t, app, '')
    const full = await openEventStream(t, app, '/api/v1/events', headersOf(null))
    assert.equal(full.response.statusCode, 429)
    app.eventStreams.end((stream) => stream.account === null)
    await until('there is room', () => app.eventStreams.size === 5)
    await open(t, app, '')
  })

  test('end as the forum stops, and where nobody tells of changes there are none', async (t) => {
    const { app } = await aHearingForum(t)
    const stream = await open(t, app, '')
    await app.close()
    await stream.ends()
    const deaf = await testApp(t, await testDatabase(t))
    const refused = await deaf.inject({ url: '/api/v1/events', headers: headersOf(null) })
    assert.equal(refused.statusCode, 503)
  })

  test('hear of what a process has numbered that was woken by it', async (t) => {
    const { db, app } = await aHearingForum(t)
    app.jobs.start(numberingKind(db))
    const stream = await open(t, app, '')
    const { id } = await aQuestion(db)
    await stream.tells(id)
  })

  test('refuse cursors as the list does, and answer a program that asks for a list with one', async (t) => {
    const { app } = forum
    for (const [after, status] of [
      ['x', 400],
      ['0'.repeat(22), 410],
    ] as const) {
      const headers = { ...headersOf(null), 'last-event-id': after }
      const refused = await openEventStream(t, app, '/api/v1/events', headers)
      assert.equal(refused.response.statusCode, status)
      assert.match(String(refused.response.headers['content-type']), /^application\/problem\+json/)
    }
    await nowOf(forum)
    for (const accept of ['*/*', 'application/json, text/event-stream'])
      assert.match(
        String((await app.inject({ url: '/api/v1/events', headers: { accept } })).headers['content-type']),
        /json/,
      )
    const head = await app.inject({ method: 'HEAD', url: '/api/v1/events', headers: headersOf(null) })
    assert.equal(head.statusCode, 406)
  })
})

const headersOf = (token: string | null) => ({
  accept: 'text/event-stream',
  ...(token !== null && { authorization: `Bearer ${token}` }),
})

async function open(
  t: TestContext,
  app: FastifyInstance,
  query: string,
  token: string | null = null,
  headers: Readonly<Record<string, string>> = {},
) {
  const stream = await openEventStream(t, app, `/api/v1/events${query}`, { ...headersOf(token), ...headers })
  assert.equal(stream.response.statusCode, 200)
  const told = () =>
    [...stream.text.matchAll(/^data: (.+)$/gm)].map(([, data = '']): number => JSON.parse(data).question)
  const says = (part: string) => until(`it says ${part}`, () => stream.text.includes(part))
  return {
    ...{ response: stream.response, told, says },
    tells: (id: number) => until(`it tells of ${id}`, () => told().includes(id)),
    ends: () => until('it ends', () => stream.hasEnded),
    hasEnded: () => stream.hasEnded,
    text: () => stream.text,
  }
}
