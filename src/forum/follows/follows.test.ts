import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { refreshStatistics } from '../search/statistics.ts'

test('"this answers mine" follows that question and is counted as a duplicate saved', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db)
  const asker = await signedIn(await testApp(t, db), await aPerson(db))

  const answer = await asker.post(`/questions/${question.id}/following?instead=1`, { value: 1 })

  assert.equal(answer.statusCode, 303)
  assert.match((await asker.follow(answer)).body, /One person follows this question/)
  const kept = await db.selectFrom('question_follows').selectAll().execute()
  assert.deepEqual(
    kept.map((row) => row.instead_of_asking),
    [true],
  )

  await asker.post(`/questions/${question.id}/following`, { value: 0 })
  assert.deepEqual(await db.selectFrom('question_follows').selectAll().execute(), [])
})

test('a similar question of one’s own says so, and is not offered as an answer', async (t) => {
  const db = await testDatabase(t)
  const asker = await aPerson(db)
  const question = await aQuestion(db, { title: 'Hypermedia links are optional?', author: asker })
  await refreshStatistics(db)
  const app = await testApp(t, db)
  const fields = { title: 'Are hypermedia links optional', body: 'Again.', tags: '' }
  const address = `/questions/similar?title=${encodeURIComponent(fields.title)}`
  const own = await signedIn(app, asker)

  const page = (await own.post('/questions/preview', fields)).body
  assert.match(page, /You asked this yourself/)
  assert.doesNotMatch(page, /\?instead=1/)
  assert.equal((await own.get(address)).json().similar[0].followPath, null)

  const other = await signedIn(app, await aPerson(db))
  assert.ok((await other.post('/questions/preview', fields)).body.includes('?instead=1'))
  assert.equal(
    (await other.get(address)).json().similar[0].followPath,
    `/questions/${question.id}/following?instead=1`,
  )
})

test('a preview shows the text, what was asked before, and posts nothing', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { title: 'Hypermedia links are optional?', answers: 1 })
  await refreshStatistics(db)
  const asker = await signedIn(await testApp(t, db), await aPerson(db))

  const page = await asker.post('/questions/preview', {
    title: 'Are hypermedia links optional',
    body: 'I *wonder*.',
    tags: '',
  })

  assert.equal(page.statusCode, 200)
  assert.match(page.body, /<em>wonder<\/em>/)
  assert.match(page.body, new RegExp(`/questions/${question.id}/following\\?instead=1`))
  assert.match(page.body, /name="title"[^>]*value="Are hypermedia links optional"/)
  const { count } = await db
    .selectFrom('questions')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  assert.equal(count, 1)
})
