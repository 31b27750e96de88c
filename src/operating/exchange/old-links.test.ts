import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { fileStore } from '../../forum/pictures/store.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { importExchange } from './course-import.ts'
import { redirectLines } from './old-links.ts'
import { aSmallExport, type SmallExport } from './small-export-testing.ts'

const EXPORT: SmallExport = {
  questions: [
    { id: '1', title: 'Shown' },
    { id: '2', title: 'Private', visibility: 'private' },
    { id: '3', title: 'Held', state: 'held(source)' },
  ],
  answers: [
    { id: '1', body: 'Has the number of a question.' },
    { id: 'k7', addresses: ['1-k7', 'discuss/k7'] },
  ],
  replies: [{ id: 'k8', answer: 'k7' }],
}

test('an old link leads to the post by its id, a letter and the id, or another address', async (t) => {
  const { app, to, questionId, idOf } = await anImport(t)
  const path = `/questions/${questionId}/shown`
  const reader = visitor(app)
  const answer = async (key: string) => `${path}#answer-${await idOf('answer', key)}`
  const expected: Readonly<Record<string, string>> = {
    ...{ '1': path, q1: path, a1: await answer('1'), k7: await answer('k7'), ak7: await answer('k7') },
    ...{ '1-k7': await answer('k7'), [encodeURIComponent('discuss/k7')]: await answer('k7') },
    ...{
      k8: `${path}#reply-${await idOf('reply', 'k8')}`,
      ck8: `${path}#reply-${await idOf('reply', 'k8')}`,
    },
  }
  for (const [id, location] of Object.entries(expected))
    assert.deepEqual(await to(reader, `/from/ed/${id}`), [301, location], id)
  for (const path of [
    '/from/ed/9',
    '/from/piazza/1',
    '/from/ed/qk7',
    '/from/ed/%00',
    `/from/ed/${'x'.repeat(300)}`,
  ])
    assert.equal((await to(reader, path))[0], 404, path)
})

test('what somebody may not read is not there, by its old link either', async (t) => {
  const { db, app, course, to, idOf } = await anImport(t)
  const readers = {
    visitor: visitor(app),
    learner: await signedIn(app, await aMember(db, course)),
    staff: await signedIn(app, await aMember(db, course, 'assistant')),
  }
  const absent = (await readers.learner.get('/from/ed/nothing')).statusCode
  for (const id of ['2', '3']) {
    for (const reader of [readers.visitor, readers.learner])
      assert.deepEqual(await to(reader, `/from/ed/${id}`), [absent, undefined], id)
    assert.equal((await to(readers.staff, `/from/ed/${id}`))[0], 301, id)
  }
  await setRows(db, 'answers', await idOf('answer', 'k7'), { hidden_at: new Date() })
  for (const id of ['k7', 'k8']) {
    assert.equal((await to(readers.learner, `/from/ed/${id}`))[0], 404, id)
    assert.equal((await to(readers.staff, `/from/ed/${id}`))[0], 301, id)
  }
  await setRows(db, 'courses', { id: course.id }, { is_public: false })
  assert.equal((await to(readers.visitor, '/from/ed/1'))[0], 404)
  assert.equal((await to(await signedIn(app, await aPerson(db)), '/from/ed/1'))[0], 404)
  assert.equal((await to(readers.learner, '/from/ed/1'))[0], 301)
})

test('of several courses it is the one that was named, else the newest that they may read', async (t) => {
  const { db, app, to, questionId } = await anImport(t)
  await importInto(t, db, 'newer', { questions: [{ id: '1', title: 'Newer' }] })
  const newer = await rowOf(db, 'questions', { title: 'Newer' })
  const reader = visitor(app)
  assert.deepEqual(await to(reader, '/from/ed/1'), [301, `/questions/${newer.id}/newer`])
  assert.deepEqual(await to(reader, '/from/ed/1?course=moved'), [301, `/questions/${questionId}/shown`])
  assert.equal((await to(reader, '/from/ed/1?course=other'))[0], 404)
  await setRows(db, 'courses', { slug: 'newer' }, { is_public: false })
  assert.deepEqual(await to(reader, '/from/ed/1'), [301, `/questions/${questionId}/shown`])
})

test('the list for the old forum’s proxy has every name of what all readers may read', async (t) => {
  const { db, questionId, idOf } = await anImport(t)
  const { id } = await rowOf(db, 'import_runs', {})
  let csv = ''
  for await (const some of redirectLines(db, id, 'https://forum.example')) csv += some
  const lines = csv.trim().split('\r\n')
  const [head, ...redirects] = lines.map((line) => line.split(','))
  const answer = await idOf('answer', 'k7')
  assert.deepEqual(head, ['from', 'to', 'kind'])
  assert.deepEqual(
    redirects.map(([from, , kind]) => `${kind} ${from}`),
    ['question 1', 'answer 1', 'answer k7', 'answer 1-k7', 'answer discuss/k7', 'reply k8'],
  )
  assert.equal(redirects[3]?.[1], `https://forum.example/questions/${questionId}/shown#answer-${answer}`)
})

test('an old link is found by indexes, however much was imported', async (t) => {
  const { db } = await anImport(t)
  await sql`
    insert into imported_posts (course_id, source, origin, kind, external_id, addresses)
    select course_id, source, origin, kind, 'many ' || n, case when n % 2 = 0 then array['address ' || n] else '{}' end
    from imported_posts, generate_series(1, 4000) as n where kind = 'question' and external_id = '1'`.execute(
    db,
  )
  await sql`analyze imported_posts`.execute(db)
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select from imported_posts as post where post.source = 'ed' and post.external_id = 'x'
      or post.source = 'ed' and post.external_id = 'y' and post.kind = 'answer'
      or post.addresses @> array['x'] and post.addresses <> '{}' and post.source = 'ed'`.execute(db)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  for (const index of ['imported_posts_source', 'imported_posts_addresses'])
    assert.ok(plan.includes(index), plan)
  assert.doesNotMatch(plan, /Seq Scan/)
})

type Test = Parameters<typeof testDatabase>[0]

async function importInto(t: Test, db: Database, slug: string, lines: SmallExport): Promise<void> {
  const path = await aSmallExport(t, lines)
  await importExchange(db, fileStore(path), { path, course: { slug } })
}

async function anImport(t: Test & Parameters<typeof testApp>[0]) {
  const db = await testDatabase(t)
  await importInto(t, db, 'moved', EXPORT)
  const course = await rowOf(db, 'courses', { slug: 'moved' })
  const { id: questionId } = await rowOf(db, 'questions', { title: 'Shown' })
  return {
    ...{ db, app: await testApp(t, db), course, questionId },
    to: async (reader: Browser, path: string) => {
      const { statusCode, headers } = await reader.get(path)
      return [statusCode, headers.location]
    },
    idOf: async (kind: 'answer' | 'reply', key: string) =>
      (await rowOf(db, 'imported_posts', { kind, external_id: key }))[`${kind}_id`] ?? 0,
  }
}
