import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aPerson, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { relIn, titlesIn } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { PAGE_SIZE } from '../reading/list.ts'

/** A course with a number of questions, "Q 1" the oldest; in groups of three that are equal in every sort. */
async function aLongCourse(db: Database, length: number) {
  const [course, author] = [await aCourse(db), await aPerson(db)]
  const ids: number[] = []
  for (let number = 1; number <= length; number += 1) {
    const group = Math.floor(number / 3)
    const writtenAt = new Date(Date.UTC(2026, 0, 1, 0, group))
    const question = await aQuestion(db, { course, author, title: `Q ${number}`, writtenAt, views: group })
    ids.push(question.id)
  }
  await sql`update questions set votes_count = views_count, imported_votes_count = views_count
    where course_id = ${course.id}`.execute(db)
  return { course, author, ids }
}

const named = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => `Q ${from - index}`)

suite('pages of the question list', () => {
  const forum = sharedForum()

  async function pageAt(path: string | null) {
    const { statusCode, body } = await visitor(forum.app).get(path ?? '/nowhere')
    assert.equal(statusCode, 200, String(path))
    return { titles: titlesIn(body), newer: relIn(body, 'prev'), older: relIn(body, 'next') }
  }
  const firstOf = (course: MadeCourse, sort = 'newest') => pageAt(`/courses/${course.slug}?sort=${sort}`)

  test('walking there and back shows each question once in every sort, equal ones too', async () => {
    const { course } = await aLongCourse(forum.db, 2 * PAGE_SIZE + 5)
    for (const sort of ['newest', 'active', 'votes', 'views']) {
      const first = await firstOf(course, sort)
      const second = await pageAt(first.older)
      const third = await pageAt(second.older)
      assert.deepEqual([...first.titles, ...second.titles, ...third.titles], named(45, 1), sort)
      assert.deepEqual([first.newer, third.older], [null, null])

      const back = await pageAt(third.newer)
      const start = await pageAt(back.newer)
      assert.deepEqual([...start.titles, ...back.titles], named(45, 6), sort)
      assert.equal(start.newer, null)
    }
  })

  test('what is asked or deleted meanwhile neither doubles nor hides anything on the next page', async () => {
    const { course, author, ids } = await aLongCourse(forum.db, PAGE_SIZE + 4)
    const first = await firstOf(course)
    await aQuestion(forum.db, { course, author, title: 'new above' })
    const lastShown = ids[4] ?? 0
    await within(forum.db, deleteQuestion, lastShown)

    const second = await pageAt(first.older)
    assert.deepEqual(second.titles, named(4, 1))
    const back = await pageAt(second.newer)
    assert.deepEqual(back.titles, ['new above', ...named(24, 6)])
  })

  test('beyond either end the first page is shown instead of an empty one', async () => {
    const { course, ids } = await aLongCourse(forum.db, PAGE_SIZE + 2)
    const first = await firstOf(course)
    for (const id of ids.slice(0, 2)) await within(forum.db, deleteQuestion, id)
    const beyond = await pageAt(first.older)
    assert.deepEqual(beyond.titles, first.titles)
    assert.deepEqual([beyond.newer, beyond.older], [null, null])
  })

  test('a cursor stays good when the question it names changes its place', async () => {
    const { course, ids } = await aLongCourse(forum.db, PAGE_SIZE + 2)
    const first = await firstOf(course, 'votes')
    const many = { votes_count: 99 }
    await forum.db
      .updateTable('questions')
      .set(many)
      .where('id', '=', ids[2] ?? 0)
      .execute()
    assert.deepEqual((await pageAt(first.older)).titles, ['Q 2', 'Q 1'])
  })

  test('both cursors at once, or one twice, still give a page', async () => {
    const { course } = await aLongCourse(forum.db, PAGE_SIZE + 1)
    const older = (await firstOf(course)).older ?? ''
    assert.deepEqual((await pageAt(`${older}&before=zz.1`)).titles, ['Q 1'])
    assert.equal((await pageAt(`${older}&after=zz.1`)).titles.length, PAGE_SIZE)
  })
})
