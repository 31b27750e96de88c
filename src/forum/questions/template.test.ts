import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { valueIn } from '../../testing/page.ts'
import { copyCourse } from '../course-settings/operations.ts'

const TEMPLATE = '**What I tried**\n\n\n**What happened**'
const QUESTION = { title: 'Which status says so?', tags: 'http' }

suite('what the questions of a course begin with', () => {
  const forum = sharedForum()
  const courseWith = async (question_template: string) => {
    const course = await aCourse(forum.db)
    await forum.db.updateTable('courses').set({ question_template }).where('id', '=', course.id).execute()
    return course
  }

  test('stands in the ask form of that course alone, unless somebody wrote there before', async () => {
    const { db, app } = forum
    const [course, other] = [await courseWith(TEMPLATE), await courseWith('')]
    const asker = await signedIn(app, await aPerson(db))
    const page = await asker.get(`/questions/new?course=${course.slug}`)
    assert.equal(valueIn(page.body, 'body'), TEMPLATE)
    assert.match(page.body, /<textarea[^>]* data-template="\*\*What I tried/)
    assert.equal(valueIn((await asker.get(`/questions/new?course=${other.slug}`)).body, 'body'), '')
    const place = `/questions?course=${course.slug}`
    await asker.post('/drafts', { place, title: 'Mine', body: 'My words', tags: '', version: 0 })
    const { id } = await db
      .selectFrom('drafts')
      .select('id')
      .where('place', '=', place)
      .executeTakeFirstOrThrow()
    const draft = await asker.get(`/questions/new?course=${course.slug}&draft=${id}`)
    assert.equal(valueIn(draft.body, 'body'), 'My words')
    const refused = await asker.post('/questions', { course: course.slug, ...QUESTION, body: ' ' })
    assert.equal((valueIn(refused.body, 'body') ?? '').trim(), '', 'what was taken away stays away')
  })

  test('is no question by itself', async () => {
    const { db, app } = forum
    const course = await courseWith(TEMPLATE)
    const asker = await signedIn(app, await aPerson(db))
    for (const path of ['/questions', '/questions/preview'])
      for (const body of [TEMPLATE, `\r\n ${TEMPLATE.replaceAll('\n', '\r\n')}\r\n`]) {
        const refused = await asker.post(path, { course: course.slug, ...QUESTION, body })
        assert.equal(refused.statusCode, 422)
        assert.match(refused.body, /Fill in the template/)
        assert.match(refused.body, /What I tried/)
      }
    const posted = await asker.post('/questions', {
      course: course.slug,
      ...QUESTION,
      body: `${TEMPLATE}\nIt says 500.`,
    })
    assert.equal(posted.statusCode, 303)
  })

  test('is chosen by who runs the course, with a suggestion in its language, and comes along in a copy', async () => {
    const { db, app } = forum
    const course = await courseWith('')
    const instructor = await aMember(db, course, 'instructor')
    const browser = await signedIn(app, instructor)
    const path = `/courses/${course.slug}/settings`
    const settings = {
      title: 'A course',
      field: '',
      description: '',
      language: 'ko',
      time_zone: 'UTC',
      visibility: 'public',
      asking: 'everybody',
      accent: 'green',
      promise_hours: '',
      version: 1,
    }
    const suggested = await browser.post(path, { ...settings, question_template: 'x', suggest: '1' })
    assert.equal(suggested.statusCode, 200)
    assert.match(valueIn(suggested.body, 'question_template') ?? '', /\*\*시도한 것\*\*/)
    const long = await browser.post(path, { ...settings, question_template: 'x'.repeat(2001) })
    assert.equal(long.statusCode, 422)
    assert.equal((await browser.post(path, { ...settings, question_template: TEMPLATE })).statusCode, 303)
    const copy = await db
      .transaction()
      .execute((write) => copyCourse(write, course.id, 'Copy', instructor.id))
    const { question_template } = await db
      .selectFrom('courses')
      .select('question_template')
      .where('id', '=', copy.id)
      .executeTakeFirstOrThrow()
    assert.equal(question_template, TEMPLATE)
  })

  test('a preview says what would make the question easier to answer', async () => {
    const { db, app } = forum
    const course = await courseWith('')
    const asker = await signedIn(app, await aPerson(db))
    const page = await asker.post('/questions/preview', {
      course: course.slug,
      title: 'Help',
      tags: 'http',
      body: 'public class A {\n    int a;\n}',
    })
    assert.equal(page.statusCode, 200)
    const shown = Array.from(page.body.matchAll(/data-hint="(\w+)">/g), ([, hint]) => hint)
    assert.deepEqual(shown, ['title', 'short', 'code'])
    assert.equal(
      (await asker.post('/questions', { course: course.slug, title: 'Help', tags: '', body: 'x' }))
        .statusCode,
      303,
    )
  })
})
