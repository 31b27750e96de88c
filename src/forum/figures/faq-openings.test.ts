import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { setAudience } from '../../testing/audience.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { noteOpening } from '../search/learning/signals.ts'

const OPENINGS = { secret: 'a secret', needsConfirmed: true }

test('Analytics show by which words five people or more came to a question of the FAQ', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const course = await aCourse(db)
  const staff = await signedIn(app, await aMember(db, course, 'instructor'))
  const question = await aQuestion(db, { course, title: 'Which port is free?' })
  const other = await aQuestion(db, { course, title: 'No entry of the FAQ' })
  await staff.post(`/courses/${course.slug}/faq`, { question: question.id, state: 'shown' })
  const joinedAt = new Date(Date.now() - 2 * 86_400_000)
  const someone = async () => aMember(db, course, 'learner', await aPerson(db, { joinedAt }))
  const openedBy = async (people: number, subject: string) => {
    for (let number = 0; number < people; number += 1)
      for (const { id: questionId } of [question, other])
        await noteOpening(db, OPENINGS, { questionId, personId: (await someone()).id, subject })
  }
  await openedBy(4, 'EADDRINUSE')
  const figures = async () => textOf((await staff.get(`/courses/${course.slug}/figures`)).body)
  assert.doesNotMatch(await figures(), /Searches that led/)
  await openedBy(6, 'listen address')
  const shown = await figures()
  assert.match(shown, /Which port is free\? address \(6\) · listen \(6\)/)
  assert.doesNotMatch(shown, /eaddrinuse|No entry of the FAQ/)
  await openedBy(1, 'EADDRINUSE')
  assert.match(await figures(), /eaddrinuse \(5\)/)
  await setAudience(db, question.id, 'staff')
  assert.doesNotMatch(await figures(), /Searches that led/)
})
