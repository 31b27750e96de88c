import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testAppThatHears } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { titlesIn } from '../../testing/page.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'

suite('what is unread in a course', () => {
  async function aCourseWithNews(t: Parameters<typeof testDatabase>[0]) {
    const db = await testDatabase(t)
    const { app, changes } = await testAppThatHears(t, db)
    const course = await aCourse(db)
    const old = await aQuestion(db, { course, title: 'Old', writtenAt: new Date('2026-01-01') })
    const person = await aMember(db, course)
    const reader = await signedIn(app, person)
    const settled = async () => {
      await app.openedCourses.settled()
      await changes.caughtUp()
    }
    /** The titles with a dot, those of the tab, and whether they agree. */
    const unread = async (path = `/courses/${course.slug}`) => {
      await settled()
      const rows = (await reader.get(path)).body.split('<li class="question-row').slice(1)
      const dotted = rows
        .filter((row) => row.startsWith(' unread'))
        .flatMap((row) => named(`<li class="question-row${row}`))
      const tab = named((await reader.get(`${path}?unread=1`)).body)
      assert.deepEqual(tab, dotted)
      return tab
    }
    return { db, app, course, old, person, reader, unread, settled }
  }
  const named = (body: string) => titlesIn(body).map((title) => title.replace(/^New: /, ''))

  test('counts from when somebody first opens it signed in, questions never opened too', async (t) => {
    const { db, app, course, old, person, reader, unread, settled } = await aCourseWithNews(t)
    await reader.get(`/courses/${course.slug}`, { 'sec-purpose': 'prefetch' })
    await settled()
    const begun = async () => valuesOf(await rowsOf(db, 'course_reads', {}), 'person_id')
    assert.deepEqual(await begun(), [])
    assert.deepEqual(await unread(), [])
    await settled()
    assert.deepEqual(await begun(), [person.id])

    const one = await aQuestion(db, { course, title: 'One' })
    await aQuestion(db, { title: 'Of another course' })
    await aQuestion(db, { course, author: person, title: 'My own' })
    await anAnswer(db, { question: old })
    assert.deepEqual(await unread(), ['One', 'Old'])
    await reader.post(`/questions/${one.id}/reading`)
    assert.deepEqual(await unread(), ['Old'])
    await anAnswer(db, { question: one })
    assert.deepEqual(await unread(), ['One', 'Old'])
    assert.equal((await visitor(app).get('/questions?unread=1')).statusCode, 303)
  })

  test('is all read at once, in one course or in all', async (t) => {
    const { db, course, person, reader, unread } = await aCourseWithNews(t)
    assert.deepEqual(await unread(), [])
    const question = await aQuestion(db, { course, title: 'One' })
    await reader.post(`/questions/${question.id}/following`, { value: 1 })
    await anAnswer(db, { question })
    for (const path of [`/courses/${course.slug}/reading`, '/questions/reading']) {
      await aQuestion(db, { course, title: `Before ${path}` })
      const news = path === '/questions/reading' ? [] : ['One']
      assert.deepEqual(await unread(), [`Before ${path}`, ...news])
      assert.equal((await reader.post(path)).statusCode, 303)
      assert.deepEqual(await unread(), [])
    }
    assert.deepEqual(await rowsOf(db, 'notifications', { person_id: person.id, seen_at: null }), [])
  })

  test('names nothing that its reader may not read any more', async (t) => {
    const { db, app, settled } = await aCourseWithNews(t)
    const hidden = await aCourse(db, { isPublic: false })
    const member = await aMember(db, hidden)
    const theirs = await signedIn(app, member)
    await theirs.get(`/courses/${hidden.slug}`)
    await settled()
    await aQuestion(db, { course: hidden, title: 'Hidden' })
    await aQuestion(db, { course: hidden, title: 'Private' })
    await settled()
    const list = async () => named((await theirs.get('/questions?unread=1')).body)
    assert.deepEqual(await list(), ['Private', 'Hidden'])
    await setRows(db, 'questions', { title: 'Private' }, { audience: 'staff' })
    await settled()
    assert.deepEqual(await list(), ['Hidden'])
    await db.deleteFrom('course_members').where('person_id', '=', member.id).execute()
    await settled()
    assert.deepEqual(await list(), [])
  })
})
