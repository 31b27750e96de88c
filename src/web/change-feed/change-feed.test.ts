import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import type { Database } from '../../database/schema.ts'
import { atEnd } from '../../testing/at-end.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { addressOf, testDatabase } from '../../testing/database.ts'
import { aHearingForum } from '../../testing/forum.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { questionPath } from '../paths.ts'
import { ChangeFeed } from './change-feed.ts'

test('a new column on questions changes their pages, without a word in any trigger', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  const urls = ['/questions', questionPath(question)]
  await sql`alter table questions add column is_pinned boolean not null default false`.execute(db)
  await changes.caughtUp()
  for (const url of [...urls, ...urls]) assert.equal((await app.inject(url)).statusCode, 200)
  assert.equal(app.pageCache?.visitors.cache.size, urls.length)
  await sql`update questions set is_pinned = true where id = ${question.id}`.execute(db)
  await changes.caughtUp()
  assert.equal(app.pageCache?.visitors.cache.size, 0)
})

test('a new column of whatever pages show is announced', async (t) => {
  const { db, scopesOf } = await aListener(t)
  const course = await aCourse(db, { lectures: ['First'] })
  const question = await aQuestion(db, { course })
  const answer = await anAnswer(db, { question })
  await aReply(db, { answer })
  const row = [`course:${course.id}`, `question:${question.id}`, `row:${question.id}`, 'site']
  const expected = {
    questions: [...row, `list:${course.id}`, 'lists'].toSorted(),
    answers: row,
    replies: [`question:${question.id}`],
    courses: ['*'],
    lectures: ['*'],
    categories: ['*'],
  }
  for (const [table, scopes] of Object.entries(expected)) {
    await sql`alter table ${sql.table(table)} add column is_new boolean not null default false`.execute(db)
    const update = sql`update ${sql.table(table)} set is_new = true`
    assert.deepEqual(await scopesOf(() => update.execute(db)), scopes)
  }
  await sql`alter table people add column is_new boolean not null default false`.execute(db)
  const update = sql`update people set is_new = true where id = ${answer.authorId}`
  assert.deepEqual(await scopesOf(() => update.execute(db)), [`person:${answer.authorId}`])
})

test('what pages need not show at once, or do not show, is announced to no page', async (t) => {
  const { db, scopesOf } = await aListener(t)
  await aQuestion(db)
  const { id } = await aPerson(db)
  await beginSession(db, id, 'a test')
  const acts = [
    () => db.updateTable('questions').set({ views_count: 7 }).execute(),
    () => db.deleteFrom('sessions').where('person_id', '=', id).execute(),
  ]
  for (const act of acts) assert.deepEqual(await scopesOf(act), [])
})

test('a question that moves is announced to both courses, and who teaches to their lists', async (t) => {
  const { db, scopesOf } = await aListener(t)
  const [from, to] = [await aCourse(db), await aCourse(db)]
  const question = await aQuestion(db, { course: from })
  const target = await aQuestion(db, { course: to })
  const { category_id } = await rowOf(db, 'questions', target.id)
  const scopes = await scopesOf(() =>
    setRows(db, 'questions', question.id, { course_id: to.id, category_id }),
  )
  for (const { id } of [from, to])
    for (const scope of [`course:${id}`, `list:${id}`]) assert.ok(scopes.includes(scope), scope)
  for (const scope of [`question:${question.id}`, `row:${question.id}`, 'site', 'lists'])
    assert.ok(scopes.includes(scope), scope)
  const teacher = await aMember(db, to, 'instructor')
  const renamed = await scopesOf(() => setRows(db, 'people', teacher.id, { display_name: 'Lee' }))
  const expected = [`course:${to.id}`, `list:${to.id}`, 'lists', `person:${teacher.id}`, 'site']
  assert.deepEqual(renamed, expected.toSorted())
})

/** A database, and which scopes are announced while something is done. */
async function aListener(t: TestContext) {
  const db: Database = await testDatabase(t)
  const feed = new ChangeFeed(addressOf(db))
  await feed.open()
  atEnd(t, () => feed.close())
  const heard = new Set<string>()
  feed.listen({
    changed: ({ scopes }) => {
      for (const scope of scopes) heard.add(scope)
    },
    lost: () => undefined,
  })
  const scopesOf = async (act: () => Promise<unknown>) => {
    await feed.caughtUp()
    heard.clear()
    await act()
    await feed.caughtUp()
    return [...heard].toSorted()
  }
  return { db, scopesOf }
}

test('a process that stood still for two seconds keeps its feed', async (t) => {
  const db = await testDatabase(t)
  const feed = new ChangeFeed(addressOf(db))
  const timers = t.mock.method(globalThis, 'setInterval')
  await feed.open()
  const heartbeat = timers.mock.calls[0]?.arguments[0]
  timers.mock.restore()
  atEnd(t, () => feed.close())
  const losses: string[] = []
  feed.listen({ changed: () => {}, lost: () => void losses.push('lost') })
  heartbeat?.()
  // By now it has been sent; its answer comes meanwhile.
  await Promise.resolve().then(() => {})
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2200)
  await feed.caughtUp()
  assert.deepEqual(losses, [])
  assert.ok(feed.isLive)
})
