import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'

const COURSE = {
  title: 'Advanced REST',
  field: 'Backend',
  description: 'What HTTP can do.',
  language: 'en',
  time_zone: 'Asia/Seoul',
  visibility: 'private',
  asking: 'members',
  accent: 'violet',
  promise_hours: '24',
  allows_private: '',
  allows_anonymous: '1',
}

suite('running a course from the browser', () => {
  const forum = sharedForum()

  async function anInstructor(options: Parameters<typeof aCourse>[1] = {}) {
    const course = await aCourse(forum.db, options)
    const person = await aMember(forum.db, course, 'instructor')
    return { course, person, browser: await signedIn(forum.app, person) }
  }

  test('an admin makes a course with its lectures, and instructs it unless somebody else is named', async () => {
    const { app, db } = forum
    const admin = await aPerson(db, { isAdmin: true })
    const browser = await signedIn(app, admin)
    const made = await browser.post('/courses/new', { ...COURSE, lectures: 'Verbs\nStatus, codes' })
    assert.equal(made.headers.location, '/courses/advanced-rest')
    const many = 'Verbs\n'.repeat(1001)
    const refused = await browser.post('/courses/new', { ...COURSE, lectures: many })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /up to 1,000 lectures/)
    const course = await db
      .selectFrom('courses')
      .selectAll()
      .where('slug', '=', 'advanced-rest')
      .executeTakeFirstOrThrow()
    assert.deepEqual([course.is_public, course.asking, course.accent], [false, 'members', 'violet'])
    assert.deepEqual(
      [course.promise_hours, course.allows_private, course.allows_anonymous],
      [24, false, true],
    )
    const lectures = await db
      .selectFrom('lectures')
      .select(['position', 'title'])
      .where('course_id', '=', course.id)
      .orderBy('position')
      .execute()
    assert.deepEqual(lectures, [
      { position: 1, title: 'Verbs' },
      { position: 2, title: 'Status, codes' },
    ])
    const members = () =>
      db
        .selectFrom('course_members')
        .select(['person_id', 'role'])
        .where('course_id', '=', course.id)
        .execute()
    assert.deepEqual(await members(), [{ person_id: admin.id, role: 'instructor' }])

    const named = await browser.post('/courses/new', {
      ...COURSE,
      title: 'Other',
      instructor: 'Prof@Example.org',
    })
    assert.equal(named.statusCode, 303)
    const waiting = await db.selectFrom('pending_roles').select(['email', 'role']).execute()
    assert.deepEqual(waiting, [{ email: 'prof@example.org', role: 'instructor' }])
  })

  test('a form that is not right comes back with everything typed', async () => {
    const browser = await signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))
    const refused = await browser.post('/courses/new', {
      ...COURSE,
      title: '',
      accent: 'neon',
      lectures: '1,a\n1,b',
    })
    assert.equal(refused.statusCode, 422)
    assert.equal(valueIn(refused.body, 'description'), COURSE.description)
    assert.match(textOf(refused.body), /Enter a course title/)
    const badLine = await browser.post('/courses/new', { ...COURSE, lectures: '1,a\n1,b' })
    assert.equal(badLine.statusCode, 422)
    assert.match(textOf(badLine.body), /line 2: number 1 is already on line 1/)
  })

  test('a course called New has an address of its own', async () => {
    const browser = await signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))
    const made = await browser.post('/courses/new', { ...COURSE, title: 'New' })
    assert.equal(made.headers.location, '/courses/new-2')
  })

  test('settings are kept, and two who edit at once see both texts', async () => {
    const { course, browser } = await anInstructor({ title: 'Before' })
    const path = `/courses/${course.slug}/settings`
    const other = await signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))
    const version = valueIn((await browser.get(path)).body, 'version') ?? ''
    assert.equal((await other.post(path, { ...COURSE, title: 'Theirs', version })).headers.location, path)
    const mine = { ...COURSE, title: 'Mine', accent: 'blue', version }
    const conflict = await browser.post(path, mine)
    assert.equal(conflict.statusCode, 409)
    assert.match(textOf(conflict.body), /Theirs.*Colour Violet/)
    assert.equal(valueIn(conflict.body, 'title'), 'Mine')
    const again = await browser.post(path, { ...mine, version: valueIn(conflict.body, 'version') ?? '' })
    assert.equal(again.statusCode, 303)
    assert.equal(valueIn((await browser.get(path)).body, 'title'), 'Mine')
    assert.equal((await browser.post(path, mine)).statusCode, 303, 'the same again is no conflict')
    assert.match((await browser.get(`/courses/${course.slug}`)).body, /data-accent="blue"/)
  })

  test('a section changes only its own fields, and a box that is not sent switches nothing off elsewhere', async () => {
    const { course, browser } = await anInstructor({ title: 'Before' })
    const path = `/courses/${course.slug}/settings`
    const save = async (fields: Record<string, string>, place = '') => {
      const { body } = await browser.get(path)
      const answer = await browser.post(path, { ...fields, version: valueIn(body, 'version') ?? '' })
      assert.equal(answer.headers.location, `${path}${place}`)
      return forum.db.selectFrom('courses').selectAll().where('id', '=', course.id).executeTakeFirstOrThrow()
    }
    const boxes = { allows_private: '1', allows_anonymous: '1' }
    await save({ section: 'access', visibility: 'private', asking: 'members', ...boxes }, '#access')
    await save({ section: 'asking', promise_hours: '24', question_template: 'Tried' }, '#asking')
    const { title, language, time_zone, accent } = COURSE
    const general = { section: 'general', title, field: '', description: '', language, time_zone, accent }
    const after = await save({ ...general, promise_hours: '1' })
    assert.deepEqual(
      [after.title, after.is_public, after.allows_private, after.allows_anonymous, after.promise_hours],
      [title, false, true, true, 24],
    )
    const part = await save({ title: 'Only the title' })
    assert.deepEqual(
      [part.title, part.allows_anonymous, part.question_template],
      ['Only the title', true, 'Tried'],
    )
    const off = await save({ section: 'access', visibility: 'private', asking: 'members' }, '#access')
    assert.deepEqual([off.allows_private, off.allows_anonymous, off.promise_hours], [false, false, 24])
    const refused = await browser.post(path, { ...general, title: '', version: off.version })
    assert.equal(refused.statusCode, 422)
    assert.equal(valueIn(refused.body, 'promise_hours'), '24', 'the other sections show what there is')
  })

  test('a form without a version is answered with what there is', async () => {
    const { course, browser } = await anInstructor()
    const answer = await browser.post(`/courses/${course.slug}/settings`, COURSE)
    assert.equal(answer.statusCode, 409)
    assert.equal(valueIn(answer.body, 'title'), COURSE.title)
  })

  test('a course is archived and opened again', async () => {
    const { course, browser } = await anInstructor()
    const path = `/courses/${course.slug}`
    await browser.post(`${path}/archive`, { value: 1 })
    assert.equal((await browser.get(`/questions/new?course=${course.slug}`)).statusCode, 403)
    assert.match(textOf((await browser.get(path)).body), /Archived/)
    await browser.post(`${path}/archive`, { value: 0 })
    assert.equal((await browser.get(`/questions/new?course=${course.slug}`)).statusCode, 200)
    assert.equal((await browser.post(`${path}/archive`, { value: 'x' })).statusCode, 422)
  })

  test('a copy for the next run has settings, lectures and categories, and neither people nor questions', async () => {
    const { db } = forum
    const { course, person, browser } = await anInstructor({
      title: 'REST 2026',
      lectures: ['Verbs', 'Codes'],
      categories: ['Projects'],
    })
    await aMember(db, course)
    const asked = await aQuestion(db, { course })
    await anAnswer(db, { question: asked, body: 'Because it must.' })
    await browser.post(`/courses/${course.slug}/faq`, { question: asked.id, state: 'shown' })
    await db
      .updateTable('courses')
      .set({ accent: 'plum', field: 'Backend' })
      .where('id', '=', course.id)
      .execute()
    const answer = await browser.post(`/courses/${course.slug}/copy`, { title: 'REST 2027' })
    assert.equal(answer.headers.location, '/courses/rest-2027/settings')
    const copy = await db
      .selectFrom('courses')
      .selectAll()
      .where('slug', '=', 'rest-2027')
      .executeTakeFirstOrThrow()
    assert.deepEqual([copy.accent, copy.field, copy.questions_count], ['plum', 'Backend', 0])
    const of = <Table extends 'lectures' | 'categories'>(table: Table) =>
      db
        .selectFrom(table as 'lectures')
        .select('position')
        .where('course_id', '=', copy.id)
        .execute()
    assert.deepEqual([(await of('lectures')).length, (await of('categories')).length], [2, 2])
    const entries = await db
      .selectFrom('faq_entries')
      .select(['title', 'body', 'question_id'])
      .where('course_id', '=', copy.id)
      .execute()
    assert.deepEqual(entries, [{ title: asked.title, body: 'Because it must.', question_id: null }])
    const members = await db
      .selectFrom('course_members')
      .select(['person_id', 'role'])
      .where('course_id', '=', copy.id)
      .execute()
    assert.deepEqual(members, [{ person_id: person.id, role: 'instructor' }])
  })

  test('a copy that an admin makes has an instructor, too: who made it', async () => {
    const course = await aCourse(forum.db)
    const admin = await aPerson(forum.db, { isAdmin: true })
    const browser = await signedIn(forum.app, admin)
    const made = await browser.post(`/courses/${course.slug}/copy`, { title: 'Made by an admin' })
    const page = await browser.get(`${made.headers.location}`.replace(/settings$/, 'members'))
    assert.match(textOf(page.body), new RegExp(`Everyone 1 .*${admin.displayName}`))
  })

  test('categories are added, renamed and removed; their questions go to the first one', async () => {
    const { db } = forum
    const { course, browser } = await anInstructor()
    const path = `/courses/${course.slug}/categories`
    assert.equal((await browser.post(path, { name: '' })).statusCode, 422)
    assert.equal((await browser.post(path, { name: 'Projects' })).headers.location, path)
    const { id } = await db
      .selectFrom('categories')
      .select('id')
      .where('name', '=', 'Projects')
      .where('course_id', '=', course.id)
      .executeTakeFirstOrThrow()
    await browser.post(`${path}/${id}`, { name: 'Final projects' })
    assert.match((await browser.get(path)).body, /value="Final projects"/)
    const question = await aQuestion(db, { course, categoryId: id })
    assert.equal((await browser.post(`${path}/${id}/removal`)).statusCode, 303)
    const { category_id } = await db
      .selectFrom('questions')
      .select('category_id')
      .where('id', '=', question.id)
      .executeTakeFirstOrThrow()
    assert.equal(category_id, course.categoryId)
    assert.equal(
      (await browser.post(`${path}/${course.categoryId}/removal`)).statusCode,
      404,
      'the first stays',
    )
    assert.equal((await browser.post(`${path}/${id}`, { name: 'x' })).statusCode, 404)
  })
})
