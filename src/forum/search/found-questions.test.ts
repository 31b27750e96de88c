import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAppThatHears } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { anAnswer, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'

test('a found question is shown as it is, however often it was found before', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { title: 'A mapper', body: 'It maps nothing.' })
  const { app, changes } = await testAppThatHears(t, db)
  const found = async () => {
    await changes.caughtUp()
    return textOf((await visitor(app).get('/search?q=mapper')).body)
  }
  assert.match(await found(), /A mapper/)
  await anAnswer(db, { question, body: 'The object mapper is not configured.' })
  assert.match(await found(), /1 answer/)
  await setRows(db, 'questions', question.id, { title: 'Another mapper' })
  assert.match(await found(), /Another mapper/)
  await setRows(db, 'people', question.authorId, { display_name: 'Renamed Person' })
  assert.match(await found(), /Renamed Person/)
})
