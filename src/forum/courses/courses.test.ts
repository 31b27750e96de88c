import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadePerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { relIn, textOf } from '../../testing/page.ts'
import { courseAside } from './aside.ts'
import { COURSES_PER_PAGE, findCourse } from './queries.ts'

suite('courses', () => {
  const forum = sharedForum()

  test('a visitor sees the public courses with their counts, and nothing of private ones', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { title: 'Open to all', description: 'How <it> works' })
    await aQuestion(db, { course })
    await aQuestion(db, { course, answers: 1 })
    await aCourse(db, { title: 'Behind doors', isPublic: false })

    const { body, statusCode } = await visitor(app).get('/courses')

    assert.equal(statusCode, 200)
    for (const shown of [/Open to all/, /How &lt;it&gt; works/, /2 questions/, /1 unanswered/])
      assert.match(body, shown)
    assert.doesNotMatch(body, /Behind doors/)
  })

  test('the menu of the account leads to the courses, whoever reads', async () => {
    const { app, db } = forum
    for (const reader of [visitor(app), await signedIn(app, await aPerson(db))]) {
      const { body } = await reader.get('/')
      const menu = /<nav class="sheet" aria-label="Account">[\s\S]*?<\/nav>/.exec(body)?.[0]
      assert.match(menu ?? '', /<a href="\/courses">[\s\S]*?Courses<\/a>/)
    }
  })

  test('a member sees the private course and their role; another person does not', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { title: 'Behind doors', isPublic: false })
    const shownTo = async (person: MadePerson) => (await (await signedIn(app, person)).get('/courses')).body
    const assistant = await shownTo(await aMember(db, course, 'assistant'))
    assert.match(assistant, /Behind doors[\s\S]*Members only[\s\S]*Assistant/)
    const learner = await shownTo(await aMember(db, course))
    assert.match(learner, /Behind doors[\s\S]*<span>Member<\/span>/)
    assert.doesNotMatch(await shownTo(await aPerson(db)), /Behind doors/)
    assert.match(await shownTo(await aPerson(db, { isAdmin: true })), /Behind doors/)
  })

  test('more courses than a page holds are all reached, forth and back', async () => {
    const { app, db } = forum
    const slugs = Array.from({ length: COURSES_PER_PAGE + 5 }, (_, number) => `c-${number}`)
    const rows = slugs.map((slug) => ({ slug, title: slug }))
    await db.insertInto('courses').values(rows).execute()
    const reader = visitor(app)
    const first = await reader.get('/courses')
    const second = await reader.get(relIn(first.body, 'next') ?? '')
    const again = await reader.get(relIn(second.body, 'prev') ?? '')

    const found = [first, second].flatMap(({ body }) =>
      [...body.matchAll(/href="\/courses\/(c-\d+)"/g)].map(([, slug]) => slug),
    )
    assert.deepEqual(found.sort(), slugs.sort())
    assert.equal(listOf(again.body), listOf(first.body))
  })

  test('the contents of a course have its lectures with what is unresolved in each, and who answers', async () => {
    const { db } = forum
    const course = await aCourse(db, { lectures: ['One', 'Two', 'Three'] })
    await aMember(db, course, 'assistant', await aPerson(db, { displayName: 'Jun Tanaka' }))
    await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mara Ilić' }))
    const lectureId = course.lectureIds[1] ?? 0
    await aQuestion(db, { course, lectureId, answers: 1, status: 'resolved' })
    await aQuestion(db, { course, lectureId, answers: 1 })
    await aQuestion(db, { course, lectureId })

    const aside = await courseAside(db, course.id)
    assert.deepEqual([aside.questionsCount, aside.unresolvedCount, aside.waitingCount], [3, 2, 1])
    const lectures = aside.lectures.map((one) => `${one.position} ${one.title}: ${one.unresolvedCount}`)
    assert.deepEqual(lectures, ['1 One: 0', '2 Two: 2', '3 Three: 0'])
    const teachers = aside.teachers.map(({ text, role }) => `${text} ${role}`)
    assert.deepEqual(teachers, ['Mara Ilić instructor', 'Jun Tanaka assistant'])
  })

  test('how soon a first answer comes is the median over answers of others, and said of enough questions only', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const writtenAt = new Date('2026-01-01T00:00:00Z')
    for (const hours of [1, 2, 3, 30]) {
      const question = await aQuestion(db, { course, writtenAt })
      const own = { question, author: { id: question.authorId } }
      await anAnswer(db, { ...own, writtenAt: hoursAfter(writtenAt, 0.1) })
      await anAnswer(db, { question, writtenAt: hoursAfter(writtenAt, hours) })
    }
    assert.equal((await courseAside(db, course.id)).firstWithin, null)

    await aQuestion(db, { course })
    // The median of 1, 2, 3 and 30 hours is 2.5.
    assert.deepEqual((await courseAside(db, course.id)).firstWithin, { unit: 'hours', value: 3 })
    for (let number = 0; number < 5; number += 1) await aQuestion(db, { course })
    assert.equal((await courseAside(db, course.id)).firstWithin, null)
  })

  test('a course has its contents beside the list, and a choice of lectures for narrow screens, in both languages', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { title: 'REST', lectures: ['One', 'Two'] })
    await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mara Ilić' }))
    const lectureId = course.lectureIds[1] ?? 0
    for (let number = 0; number < 5; number += 1) {
      const writtenAt = new Date('2026-01-01T00:00:00Z')
      const question = await aQuestion(db, { course, lectureId, writtenAt })
      await anAnswer(db, { question, writtenAt: hoursAfter(writtenAt, 8.5) })
    }
    const reader = visitor(app)
    const path = `/courses/${course.slug}`

    const english = (await reader.get(path)).body
    for (const shown of [
      /Usually answered within 9 hours\./,
      /<h1 class="course-name" lang="en"><a[^>]*>REST<\/a><\/h1>/,
      /lecture=2"[^>]*>.*Two<\/span><span class="n waiting">5</,
      /aria-current="true"><span class="no"><\/span><span>All lectures<\/span><span class="n">5</,
      /<option value="2" lang="en">\s*2 · Two\s*<\/option>/,
      /Unresolved<span class="n"> 5<\/span>/,
    ])
      assert.match(english, shown)
    const korean = (await reader.get(path, { 'accept-language': 'ko' })).body
    assert.match(korean, /보통 9시간 안에 답변이 올라옵니다\./)

    const chosen = (await reader.get(`${path}?lecture=2&status=unresolved`)).body
    assert.match(chosen, /<option value="2" selected lang="en">/)
    assert.match(chosen, /<input type="hidden" name="status" value="unresolved">/)
    assert.equal((await reader.get(`${path}?lecture=`)).statusCode, 200)
  })

  test('the lectures of a course are listed with their questions, for everybody who may read the course', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { lectures: ['One', 'Two & more'] })
    const hidden = await aCourse(db, { lectures: ['Secret'], isPublic: false })
    await aQuestion(db, { course, lectureId: course.lectureIds[1] ?? 0 })
    const reader = visitor(app)

    const { body } = await reader.get(`/courses/${course.slug}/lectures`)
    assert.match(textOf(body), /1 One – 2 Two & more 1 Questions 1 Unresolved/i)
    assert.match(body, new RegExp(`/courses/${course.slug}/lectures" aria-current="page"`))
    assert.equal((await reader.get(`/courses/${hidden.slug}/lectures`)).statusCode, 404)
    const member = await signedIn(app, await aMember(db, hidden))
    assert.match((await member.get(`/courses/${hidden.slug}/lectures`)).body, /Secret/)
  })

  test('a course is found by its slug alone', async () => {
    const { db } = forum
    const course = await aCourse(db, { title: '한국어 강의', language: 'ko' })

    assert.equal((await findCourse(db, course.slug))?.title, '한국어 강의')
    for (const slug of ['', 'none', 'a\0b', '\ud800']) assert.equal(await findCourse(db, slug), null)
  })
})

function hoursAfter(at: Date, hours: number): Date {
  return new Date(at.getTime() + hours * 3_600_000)
}

function listOf(html: string): string {
  return html.slice(html.indexOf('<ul class="course-index">'), html.indexOf('</ul>'))
}
