import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testApp, testAppThatHears } from '../../../testing/app.ts'
import { visitor } from '../../../testing/browser.ts'
import { anAnswer, aQuestion } from '../../../testing/builders.ts'
import { testDatabase } from '../../../testing/database.ts'
import { setRows } from '../../../testing/rows.ts'
import { recordStatements } from '../../../testing/statements.ts'
import { questionPath } from '../../../web/paths.ts'
import { refreshStatistics } from '../statistics.ts'
import { aCourseOf } from '../testing.ts'
import { RelatedQuestions } from './related.ts'

const TITLES = [
  'Which status code says that a resource was created?',
  'What does status code 201 say of a created resource?',
  'Is 201 the status code of a resource created by PUT?',
]

/** A course in which each of three questions is near the others. */
async function nearCourse(t: TestContext) {
  const others = Array.from({ length: 8 }, (_, count) => `Something else entirely ${count}`)
  const { db, course, questions } = await aCourseOf(t, [...TITLES, ...others], { tags: ['http'] })
  await refreshStatistics(db)
  const [question, other, third] = questions
  assert.ok(question && other && third)
  const { id: exceptId, title } = question
  const asked = { title, body: 'Created, it says.', tags: ['http'], courseId: course.id, exceptId }
  return { db, asked, question, other, third }
}

test('related questions are looked for once, and read again when one of them has changed', async (t) => {
  const { db, asked, question, other, third } = await nearCourse(t)
  const { app, changes } = await testAppThatHears(t, db)
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
  await setRows(db, 'questions', other.id, { title: 'Another title' })
  assert.equal(await counted(related), 1)
  const changed = (await related()).find(([id]) => id === other.id)
  assert.deepEqual(changed, [other.id, 'Another title', 1])

  await setRows(db, 'questions', third.id, { deleted_at: new Date() })
  await changes.caughtUp()
  assert.deepEqual(await related(), [changed])

  assert.ok((await counted(() => related('Another text.'))) > 1, 'another text is searched for again')
})

test('the title of a related question is text beside another one', async (t) => {
  const { db, question, other } = await nearCourse(t)
  await setRows(db, 'questions', other.id, { title: 'Is <i>201</i> it?' })
  const { body } = await visitor(await testApp(t, db)).get(questionPath(question))
  const aside = /<ul class="related">[\s\S]*?<\/ul>/.exec(body)?.[0] ?? ''
  assert.match(aside, />Is &lt;i&gt;201&lt;\/i&gt; it\?</)
})

test('which questions are near is looked for once for the page and the desk, and again when the text changes', async (t) => {
  const { db, asked, other, third } = await nearCourse(t)
  await anAnswer(db, { question: other })
  const related = new RelatedQuestions(db, null)
  const statements = recordStatements(t)
  const searched = async (work: () => Promise<readonly { readonly id: number }[]>) => {
    statements.length = 0
    const ids = (await work()).map(({ id }) => id).sort()
    return { ids, isSearched: statements.some((text) => text.includes('search_documents')) }
  }
  const both = [other.id, third.id]
  assert.deepEqual(await searched(() => related.of(asked)), { ids: both, isSearched: true })
  assert.deepEqual(await searched(() => related.of(asked)), { ids: both, isSearched: false })
  // Both were asked after it.
  assert.deepEqual(await searched(() => related.answeredBefore(asked, 5)), { ids: [], isSearched: false })
  const edited = { ...asked, body: 'Another text.' }
  assert.deepEqual(await searched(() => related.of(edited)), { ids: both, isSearched: true })
  await setRows(db, 'questions', third.id, { audience: 'staff' })
  assert.deepEqual(await searched(() => related.of(edited)), { ids: [other.id], isSearched: false })
})

test('that nothing is near a question is remembered too', async (t) => {
  const db = await testDatabase(t)
  const { id, courseId } = await aQuestion(db, { title: 'Lonely' })
  const asked = { title: 'Lonely', body: 'Nobody else asks.', tags: [], courseId, exceptId: id }
  const related = new RelatedQuestions(db, null)
  assert.deepEqual(await related.of(asked), [])
  const statements = recordStatements(t)
  assert.deepEqual(await related.of(asked), [])
  assert.equal(statements.length, 1)
})
