import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { insertRows } from '../../operating/foreign/bulk.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadePerson } from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import type { QuestionOptions } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { rowsOf } from '../figures/testing.ts'

const HOUR_MS = 3_600_000

suite('the promise of a course', () => {
  const forum = sharedForum()

  /** An answer so many hours after its question. */
  async function anAnswerAfter(
    hours: number,
    { author, ...asked }: QuestionOptions & { author: MadePerson },
  ) {
    const { writtenAt = new Date(Date.now() - 100 * HOUR_MS) } = asked
    const question = await aQuestion(forum.db, { ...asked, writtenAt })
    return anAnswer(forum.db, { question, author, writtenAt: new Date(+writtenAt + hours * HOUR_MS) })
  }

  test('stands on the ask form beside the true median of the last 30 days, once five questions say it', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const learner = await signedIn(app, await aPerson(db))
    const form = async () => (await learner.get(`/questions/new?course=${course.slug}`)).body
    assert.doesNotMatch(await form(), /aim to answer/)
    await setPromise(db, course.id, 24)
    assert.match(await form(), /aim to answer within 24 hours/)
    assert.doesNotMatch(await form(), /usually took/)
    for (const hours of [1, 2, 3, 8, 40]) await anAnswerAfter(hours, { course, author: staff })
    const old = await aQuestion(db, { course, writtenAt: new Date(Date.now() - 40 * 24 * HOUR_MS) })
    await anAnswer(db, { question: old, author: staff })
    assert.match(await form(), /usually took 3 hours/)
    await setPromise(db, course.id, null)
    assert.doesNotMatch(await form(), /aim to answer/)
  })

  test('stands in what one is told after asking; where none is given, the median does once ten questions say it', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const learner = await signedIn(app, await aPerson(db))
    const told = async () => {
      const fields = { course: course.slug, title: 'How soon is it?', body: 'As soon as can be.' }
      const { location } = (await learner.post('/questions', fields)).headers
      return textOf(/data-flash>([^<]*)/.exec((await learner.get(String(location))).body)?.[1] ?? '')
    }
    const answering = { course, author: staff }
    for (const hours of [1, 1, 2, 3, 3, 3, 8, 9, 40]) await anAnswerAfter(hours, answering)
    for (const _ of [1, 2]) await anAnswerAfter(90, { ...answering, audience: 'staff' })
    assert.equal(await told(), 'Question posted.', 'nine, and private ones count for nobody')
    await anAnswerAfter(3, answering)
    assert.equal(await told(), 'Question posted. Usually answered within 3 hours.')
    await setPromise(db, course.id, 24)
    const promised = 'Staff aim to answer within 24 hours. Over the last 30 days, it usually took 3 hours.'
    assert.equal(await told(), `Question posted. ${promised}`)
  })

  test('imported questions are in no median: of the ask form, of the course, of analytics', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'instructor')
    await setPromise(db, course.id, 24)
    const answering = { course, author: staff, writtenAt: new Date(Date.now() - 200 * HOUR_MS) }
    for (const hours of [1, 2, 3, 8, 40]) await anAnswerAfter(hours, answering)
    const old: number[] = []
    for (let number = 1; number <= 8; number += 1) old.push((await anAnswerAfter(100, answering)).question.id)
    const from = { course_id: course.id, source: 'stackexchange', origin: 'rest', kind: 'question' as const }
    const rows = old.map((id) => ({ ...from, external_id: String(id), question_id: id }))
    await db.transaction().execute((write) => insertRows(write, 'imported_posts', rows))
    for (const id of old) await setRows(db, 'questions', id, { is_imported: true })
    const learner = await signedIn(app, await aPerson(db))
    assert.match((await learner.get(`/questions/new?course=${course.slug}`)).body, /usually took 3 hours/)
    assert.match((await learner.get(`/courses/${course.slug}`)).body, /Usually answered within 3 hours/)
    const day = answering.writtenAt.toISOString().slice(0, 10)
    const weeks = await rowsOf(await signedIn(app, staff), course, 'firstStaffAnswer', { from: day, to: day })
    const medians = weeks.map((row) => row['median (minutes)']).filter((minutes) => minutes !== '')
    assert.deepEqual(medians, ['180'])
  })
})
