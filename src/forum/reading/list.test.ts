import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { relIn, textOf, titlesIn } from '../../testing/page.ts'
import { deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { setResolution } from '../posts/resolution.ts'
import { PAGE_SIZE } from './list.ts'

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

suite('the question list', () => {
  const forum = sharedForum()
  /** Titles a visitor, or somebody signed in, finds at an address. */
  const titlesAt = async (path: string, browser = visitor(forum.app)) =>
    titlesIn((await browser.get(path)).body)

  test('a row tells answers, votes, views, state, tags, lecture, author and when it was written', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { lectures: ['Intro', 'Levels'], timeZone: 'Asia/Seoul' })
    const author = await aPerson(db, { displayName: 'Mina' })
    await aQuestion(db, { author })
    const lectureId = course.lectureIds[1] ?? 0
    const writtenAt = new Date('2026-01-21T14:05:06.789Z')
    await aQuestion(db, {
      ...{ course, author, lectureId, writtenAt, title: 'Which level?', tags: ['rest', 'c++'] },
      ...{ answers: 2, votes: 3, views: 1234 },
    })

    const { body } = await visitor(app).get(`/courses/${course.slug}`)
    const text = textOf(body)
    assert.match(
      body,
      /<time datetime="2026-01-21T14:05:06.789Z" title="21 Jan 2026, 23:05 Asia\/Seoul">21 Jan(?: 2026)?<\/time>/,
    )
    assert.match(
      text,
      /Which level\? Unresolved It works without one on my machine\. Mina 2 questions 21 Jan/,
    )
    assert.match(
      text,
      /21 Jan(?: 2026)? 21 January 2026, 23:05, Seoul time 2 · Levels rest c\+\+ \S+ \S+ 2 answers 3 votes 1,234 views Unresolved/,
    )
    assert.match(body, /href="\/tags\/c%2B%2B"/)
  })

  test('a row shows two tags, and the others behind their number', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    await aQuestion(db, { course, title: 'Tagged', tags: ['one', 'two', 'three', 'four'] })
    const { body } = await visitor(app).get(`/courses/${course.slug}`)
    assert.match(textOf(body), / one two \+2 more tags, Tagged three four /)
    for (const tag of ['one', 'two', 'three', 'four']) assert.ok(body.includes(`href="/tags/${tag}"`))
  })

  test('each status shows its questions only', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const path = `/courses/${course.slug}`
    await aQuestion(db, { course, title: 'waits' })
    await aQuestion(db, { course, title: 'has an answer', answers: 1 })
    const resolved = await aQuestion(db, { course, title: 'is resolved', answers: 1, status: 'resolved' })

    assert.deepEqual(await titlesAt(`${path}?status=unanswered`), ['waits'])
    assert.deepEqual(await titlesAt(`${path}?status=unresolved`), ['has an answer', 'waits'])
    assert.deepEqual(await titlesAt(`${path}?status=resolved`), ['is resolved'])
    assert.equal((await titlesAt(`${path}?status=whatever`)).length, 3)
    assert.equal((await titlesAt(`${path}?status=resolved&status=unresolved`)).length, 3)
    await within(db, setResolution, resolved.id, 'unresolved')
    assert.deepEqual(await titlesAt(`${path}?status=resolved`), [])
  })

  test('four sorts put first what is new, was touched, has votes, was seen', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute))
    const old = await aQuestion(db, { course, title: 'old', writtenAt: at(1), views: 5 })
    await aQuestion(db, { course, title: 'voted', writtenAt: at(2), votes: 2, views: 1 })
    await aQuestion(db, { course, title: 'new', writtenAt: at(3) })
    await anAnswer(db, { question: old })

    const path = `/courses/${course.slug}?sort=`
    assert.deepEqual(await titlesAt(`${path}newest`), ['new', 'voted', 'old'])
    assert.deepEqual(await titlesAt(`${path}active`), ['old', 'new', 'voted'])
    assert.deepEqual(await titlesAt(`${path}votes`), ['voted', 'new', 'old'])
    assert.deepEqual(await titlesAt(`${path}views`), ['old', 'voted', 'new'])
    assert.deepEqual(await titlesAt(`${path}wrong`), ['new', 'voted', 'old'])
  })

  test('a tag and a lecture narrow it, and stay while the sort and the status change', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { lectures: ['One', 'Two'] })
    const lectureId = course.lectureIds[1] ?? 0
    await aQuestion(db, { course, title: 'both', tags: ['java', 'rest'], lectureId })
    await aQuestion(db, { course, title: 'tag only', tags: ['java'] })
    await aQuestion(db, { course, title: 'lecture only', lectureId })
    const path = `/questions?course=${course.slug}`

    assert.deepEqual(await titlesAt(`${path}&tag=java`), ['tag only', 'both'])
    assert.deepEqual(await titlesAt(`${path}&tag=JAVA&lecture=2`), ['both'])
    assert.deepEqual(await titlesAt(`${path}&tag=no-such-tag`), [])
    assert.deepEqual(await titlesAt(`/courses/${course.slug}?lecture=2`), ['lecture only', 'both'])
    const { body } = await visitor(app).get(`${path}&lecture=2&tag=java`)
    assert.match(body, new RegExp(`course=${course.slug}&amp;lecture=2&amp;tag=java&amp;sort=votes`))
    assert.match(body, new RegExp(`course=${course.slug}&amp;lecture=2&amp;tag=java&amp;status=resolved`))
    assert.match(textOf(body), /Lecture 2 · Two Tagged java All questions/)
  })

  test('a lecture that the course does not have is no page', async () => {
    const { app, db } = forum
    const { slug } = await aCourse(db, { lectures: ['One'] })
    for (const lecture of ['2', '0', '-1', '1e0', '1.0', '99999999999999999999', 'x']) {
      assert.equal((await visitor(app).get(`/courses/${slug}?lecture=${lecture}`)).statusCode, 404, lecture)
    }
    assert.equal((await visitor(app).get('/courses/no-such-course')).statusCode, 404)
    assert.equal((await visitor(app).get('/questions?course=no-such-course')).statusCode, 404)
  })

  test('where nothing fits, one link shows all questions of the same course again', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { lectures: ['One'] })
    await aQuestion(db, { course, title: 'elsewhere' })
    const { body } = await visitor(app).get(`/questions?course=${course.slug}&lecture=1&status=resolved`)
    assert.match(textOf(body), /No questions found/)
    assert.ok(body.includes(`href="/questions?course=${course.slug}">Show all questions`))
  })

  test('an answer by staff is marked, an instructor’s before an assistant’s; a deleted one is not', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    await anAnswer(db, { question, author: await aMember(db, course, 'assistant') })
    const page = async () => textOf((await visitor(app).get(`/courses/${course.slug}`)).body)
    assert.match(await page(), /Assistant answered/)
    assert.doesNotMatch(await page(), /Instructor answered/)

    const instructor = await aMember(db, course, 'instructor')
    const answer = await anAnswer(db, { question, author: instructor })
    assert.match(await page(), /Instructor answered/)
    assert.doesNotMatch(await page(), /Assistant answered/)
    await within(db, deleteAnswer, question.id, answer.id)
    assert.doesNotMatch(await page(), /Instructor answered/)
  })
})

suite('a course in which nobody has asked yet', () => {
  const forum = sharedForum()

  async function welcome(slug: string, language = 'en'): Promise<string> {
    const page = await visitor(forum.app).get(`/courses/${slug}`, { 'accept-language': language })
    return textOf(/<div class="empty">[\s\S]*?<\/div>/.exec(page.body)?.[0] ?? '')
  }

  test('names who answers, and says where one may hide one’s name', async () => {
    const course = await aCourse(forum.db)
    assert.match(await welcome(course.slug), /Questions are answered by course staff/)
    await aMember(forum.db, course, 'assistant', await aPerson(forum.db, { displayName: 'Jun Tanaka' }))
    assert.match(await welcome(course.slug), /answered by Jun Tanaka/)
    await aMember(forum.db, course, 'instructor', await aPerson(forum.db, { displayName: 'Mara Ilić' }))
    const named = await welcome(course.slug)
    assert.match(named, /answered by Mara Ilić and Jun Tanaka\. *Ask the first question$/)
    await setRows(forum.db, 'courses', course.id, { allows_anonymous: true })
    assert.match(await welcome(course.slug), /You can post anonymously\.$/)
    assert.match(await welcome(course.slug, 'ko'), /답변 담당: Mara Ilić, Jun Tanaka/)
  })

  test('says so no more once there is a question', async () => {
    const course = await aCourse(forum.db)
    await aMember(forum.db, course, 'instructor')
    await aQuestion(forum.db, { course })
    assert.equal(await welcome(course.slug), '')
  })
})

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
    await setRows(forum.db, 'questions', ids[2] ?? 0, { votes_count: 99 })
    assert.deepEqual((await pageAt(first.older)).titles, ['Q 2', 'Q 1'])
  })

  test('both cursors at once, or one twice, still give a page', async () => {
    const { course } = await aLongCourse(forum.db, PAGE_SIZE + 1)
    const older = (await firstOf(course)).older ?? ''
    assert.deepEqual((await pageAt(`${older}&before=zz.1`)).titles, ['Q 1'])
    assert.equal((await pageAt(`${older}&after=zz.1`)).titles.length, PAGE_SIZE)
  })
})
