import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAppThatHears } from '../../testing/app.ts'
import { aCourse, anAnswer, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { recordStatements } from '../../testing/statements.ts'
import { refreshStatistics } from './statistics.ts'

const TITLES = [
  'Which status code says that a resource was created?',
  'What does status code 201 say of a created resource?',
  'Is 201 the status code of a resource created by PUT?',
]

test('related questions are looked for once, and read again when one of them has changed', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const course = await aCourse(db)
  const questions = []
  for (const title of TITLES) questions.push(await aQuestion(db, { course, title, tags: ['http'] }))
  const [question, other, third] = questions
  assert.ok(question && other && third)
  for (let count = 0; count < 8; count += 1)
    await aQuestion(db, { course, title: `Something else entirely ${count}` })
  await refreshStatistics(db)
  await changes.caughtUp()
  const asked = {
    ...{ title: TITLES[0] ?? '', body: 'Created, it says.', tags: ['http'] },
    ...{ courseId: course.id, exceptId: question.id },
  }
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
