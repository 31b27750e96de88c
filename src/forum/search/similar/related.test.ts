import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import { testApp, testAppThatHears } from '../../../testing/app.ts'
import { visitor } from '../../../testing/browser.ts'
import { aCourse, anAnswer, aQuestion } from '../../../testing/builders.ts'
import { testDatabase } from '../../../testing/database.ts'
import { recordStatements } from '../../../testing/statements.ts'
import { questionPath } from '../../../web/paths.ts'
import { refreshStatistics } from '../statistics.ts'
import { RelatedQuestions, sweepNearQuestions } from './related.ts'

const TITLES = [
  'Which status code says that a resource was created?',
  'What does status code 201 say of a created resource?',
  'Is 201 the status code of a resource created by PUT?',
]

/** A course in which each of three questions is near the others. */
async function nearCourse(db: Database) {
  const course = await aCourse(db)
  const near = []
  for (const title of TITLES) near.push(await aQuestion(db, { course, title, tags: ['http'] }))
  for (let count = 0; count < 8; count += 1)
    await aQuestion(db, { course, title: `Something else entirely ${count}` })
  await refreshStatistics(db)
  const [question, other, third] = near
  assert.ok(question && other && third)
  const asked = {
    ...{ title: TITLES[0] ?? '', body: 'Created, it says.', tags: ['http'] },
    ...{ courseId: course.id, exceptId: question.id },
  }
  return { asked, question, other, third }
}

test('related questions are looked for once, and read again when one of them has changed', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const { asked, question, other, third } = await nearCourse(db)
  await changes.caughtUp()
  const related = async (body = asked.body) =>
    (await app.related.of({ ...asked, body })).map(({ id, title, answersCount }) => [id, title, answersCount])
  const found = await related()
  assert.deepEqual(found.map(([id]) => id).sort(), [other.id, third.id])
  const statements = recordStatements(t)
  const counted = async (work: () => Promise<unknown>) => {
    await changes.caughtUp()
    // Making what posts are found by sends statements of its own.
    await app.jobs.caughtUp('search', 10_000)
    statements.length = 0
    await work()
    // It also looks for work at times of its own.
    return statements.filter((text) => !text.includes('update jobs')).length
  }
  assert.equal(await counted(related), 0)
  await anAnswer(db, { question })
  assert.equal(await counted(related), 0, 'an answer to the question itself changes nothing')

  await anAnswer(db, { question: other })
  await db.updateTable('questions').set({ title: 'Another title' }).where('id', '=', other.id).execute()
  assert.equal(await counted(related), 1)
  assert.deepEqual(
    (await related()).find(([id]) => id === other.id),
    [other.id, 'Another title', 1],
  )

  await db.updateTable('questions').set({ deleted_at: new Date() }).where('id', '=', third.id).execute()
  await changes.caughtUp()
  assert.deepEqual(
    (await related()).map(([id]) => id),
    [other.id],
  )

  assert.ok((await counted(() => related('Another text.'))) > 1, 'another text is searched for again')
})

test('the title of a related question is text beside another one', async (t) => {
  const db = await testDatabase(t)
  const { question, other } = await nearCourse(db)
  await db.updateTable('questions').set({ title: 'Is <i>201</i> it?' }).where('id', '=', other.id).execute()
  const { body } = await visitor(await testApp(t, db)).get(questionPath(question))
  const aside = /<ul class="related">[\s\S]*?<\/ul>/.exec(body)?.[0] ?? ''
  assert.match(aside, />Is &lt;i&gt;201&lt;\/i&gt; it\?</)
})

test('what was found near a question is kept for other processes and the next start, for hours', async (t) => {
  const db = await testDatabase(t)
  const { asked, other, third } = await nearCourse(db)
  const searches = recordStatements(t)
  /** Related questions as a process finds them that has just started. */
  const afterStart = async (question = asked) => {
    searches.length = 0
    const found = await new RelatedQuestions(db, null, assert.ifError).of(question)
    return {
      ids: found.map(({ id }) => id).sort(),
      isKept: !searches.some((text) => text.includes('search_documents')),
    }
  }
  const [ids, both] = [[other.id], [other.id, third.id]]
  assert.deepEqual(await afterStart(), { ids: both, isKept: false })
  assert.deepEqual(await afterStart(), { ids: both, isKept: true })
  const edited = { ...asked, body: 'Another text.' }
  assert.deepEqual(await afterStart(edited), { ids: both, isKept: false })
  assert.deepEqual(await afterStart(edited), { ids: both, isKept: true })
  await db.updateTable('questions').set({ audience: 'staff' }).where('id', '=', third.id).execute()
  assert.deepEqual(await afterStart(edited), { ids, isKept: true })
  assert.equal(await sweepNearQuestions(db), 0)
  for (const isSwept of [false, true]) {
    await db.updateTable('near_questions').set({ found_at: sql`now() - interval '3 hours'` }).execute()
    if (isSwept) assert.equal(await sweepNearQuestions(db), 1)
    assert.deepEqual(await afterStart(edited), { ids, isKept: false })
  }
})

test('that nothing is near a question is kept too', async (t) => {
  const db = await testDatabase(t)
  const { id, courseId } = await aQuestion(db, { title: 'Lonely' })
  const asked = { title: 'Lonely', body: 'Nobody else asks.', tags: [], courseId, exceptId: id }
  assert.deepEqual(await new RelatedQuestions(db, null, assert.ifError).of(asked), [])
  const statements = recordStatements(t)
  assert.deepEqual(await new RelatedQuestions(db, null, assert.ifError).of(asked), [])
  assert.equal(statements.length, 1)
})

test('no page waits to keep what is near its question, or keeps anything of a deleted one', async (t) => {
  const db = await testDatabase(t)
  const { asked, other, third } = await nearCourse(db)
  const ids = async () =>
    (await new RelatedQuestions(db, null, assert.ifError).of(asked)).map(({ id }) => id).sort()
  const kept = () => db.selectFrom('near_questions').select('question_id').execute()
  const isAsked = sql<boolean>`id = ${asked.exceptId}`
  await db.transaction().execute(async (write) => {
    await write.selectFrom('questions').select('id').where(isAsked).forUpdate().execute()
    assert.deepEqual(await ids(), [other.id, third.id])
  })
  assert.deepEqual(await kept(), [])
  await db.updateTable('questions').set({ deleted_at: new Date() }).where(isAsked).execute()
  assert.deepEqual(await ids(), [other.id, third.id])
  await db.deleteFrom('questions').where(isAsked).execute()
  assert.deepEqual(await ids(), [other.id, third.id])
  assert.deepEqual(await kept(), [])
})

test('what can’t be kept is shown all the same', async (t) => {
  const db = await testDatabase(t)
  const { asked, other, third } = await nearCourse(db)
  await sql`alter table near_questions add constraint disk_is_full check (false)`.execute(db)
  const failures: unknown[] = []
  const related = new RelatedQuestions(db, null, (error) => failures.push(error))
  assert.deepEqual((await related.of(asked)).map(({ id }) => id).sort(), [other.id, third.id])
  assert.equal(failures.length, 1)
})
