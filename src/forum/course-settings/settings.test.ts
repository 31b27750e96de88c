import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { agentsOn } from '../../accounts/apps/testing.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { faqEntry } from '../faq/operations.ts'
import { courseCopy } from './copy.ts'
import {
  categoryChange,
  categoryMaking,
  categoryRemoval,
  courseArchiving,
  courseMaking,
  settingsChange,
} from './operations.ts'

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

suite('running a course', () => {
  const forum = sharedForum()

  async function anInstructor(options: Parameters<typeof aCourse>[1] = {}) {
    const course = await aCourse(forum.db, options)
    const person = await aMember(forum.db, course, 'instructor')
    const by = { actor: person, key: course.slug }
    return { course, person, by, path: `/courses/${course.slug}`, browser: await signedIn(forum.app, person) }
  }
  const anAdmin = () => aPerson(forum.db, { isAdmin: true })
  const makes = async (input: Record<string, string>, actor?: { readonly id: number }) =>
    (await act(forum, courseMaking, { actor: actor ?? (await anAdmin()), key: null, input })).slug
  const membersOf = async (id: number) =>
    (await rowsOf(forum.db, 'course_members', { course_id: id })).map((one) => `${one.person_id} ${one.role}`)

  test('an admin makes a course with its lectures, and instructs it unless somebody else is named', async () => {
    const { app, db } = forum
    const admin = await anAdmin()
    const browser = await signedIn(app, admin)
    const made = await browser.post('/courses/new', { ...COURSE, lectures: 'Verbs\nStatus, codes' })
    assert.equal(made.headers.location, '/courses/advanced-rest')
    const course = await rowOf(db, 'courses', { slug: 'advanced-rest' })
    assert.deepEqual([course.is_public, course.asking, course.accent], [false, 'members', 'violet'])
    assert.deepEqual(
      [course.promise_hours, course.allows_private, course.allows_anonymous],
      [24, false, true],
    )
    const lectures = await rowsOf(db, 'lectures', { course_id: course.id })
    assert.deepEqual(valuesOf(lectures, 'title'), ['Verbs', 'Status, codes'])
    assert.deepEqual(await membersOf(course.id), [`${admin.id} instructor`])
    const slug = await makes({ ...COURSE, title: 'Other', instructor: 'Prof@Example.org' }, admin)
    const { id } = await rowOf(db, 'courses', { slug })
    assert.deepEqual(await membersOf(id), [])
    const { email, role } = await rowOf(db, 'pending_roles', { course_id: id })
    assert.deepEqual([email, role], ['prof@example.org', 'instructor'])
  })

  test('a course is refused with all that is wrong', async () => {
    await refuses(forum, courseMaking, { actor: await anAdmin(), key: null }, [
      [{ ...COURSE, title: '', accent: 'neon' }, 'title: courseSettings.title.short, accent: forms.choice'],
      [{ ...COURSE, lectures: 'Verbs\n'.repeat(1001) }, 'lectures: lectures.many'],
      [{ ...COURSE, lectures: '1,a\n1,b' }, 'lectures: lectures.file.twice'],
    ])
  })

  test('a new course holds suspicious posts if it is public, and none if it is private, until its staff choose', async () => {
    const browser = await signedIn(forum.app, await anAdmin())
    assert.doesNotMatch((await browser.get('/courses/new')).body, /name="hold"/)
    for (const [visibility, hold] of [
      ['public', 'signals'],
      ['private', 'none'],
    ] as const) {
      const slug = await makes({ ...COURSE, title: `Held ${visibility}`, visibility })
      assert.equal((await rowOf(forum.db, 'courses', { slug })).hold, hold)
      assert.match((await browser.get(`/courses/${slug}/settings`)).body, /name="hold"/)
    }
  })

  test('whose agents read a course is as it is usual until its instructors choose, and again once they choose so', async () => {
    const { course, by, browser, path } = await anInstructor()
    await agentsOn(forum.db)
    const row = () => rowOf(forum.db, 'courses', { id: course.id })
    const change = async (input: Record<string, string>) => {
      const { version } = await row()
      await act(forum, settingsChange, { ...by, input: { ...input, version } })
      const page = (await browser.get(`${path}/settings`)).body
      const [, select = ''] = page.split('name="agents"')
      return [(await row()).agents, /<option value="(\w*)" selected/.exec(select)?.[1]]
    }
    assert.deepEqual(await change({ title: 'Another' }), [null, ''])
    for (const agents of ['nobody', 'readers', 'staff'])
      assert.deepEqual(await change({ agents }), [agents, agents])
    assert.deepEqual(await change({ title: 'Left out, it stays' }), ['staff', 'staff'])
    await agentsOn(forum.db, { agents: 'off' })
    const page = (await browser.get(`${path}/settings`)).body
    assert.doesNotMatch(page, /name="agents"/, 'nothing to choose')
    const { version } = await row()
    const access = { section: 'access', visibility: 'public', asking: 'everybody', version: String(version) }
    assert.equal((await browser.post(`${path}/settings`, access)).statusCode, 303)
    assert.equal((await row()).agents, 'staff')
    await agentsOn(forum.db)
    await refuses(forum, settingsChange, by, [[{ agents: 'everyone' }, 'agents: forms.choice']])
    assert.deepEqual(await change({ agents: '' }), [null, ''])
  })

  test('a course called New has an address of its own', async () => {
    assert.equal(await makes({ ...COURSE, title: 'New' }), 'new-2')
  })

  test('settings are kept, and two who edit at once, or without a version, see both texts', async () => {
    const { by, browser, path } = await anInstructor({ title: 'Before' })
    const settings = `${path}/settings`
    const version = valueIn((await browser.get(settings)).body, 'version') ?? ''
    await refuses(forum, settingsChange, by, [[COURSE, 'edited-meanwhile']])
    const theirs = { ...COURSE, title: 'Theirs', version }
    await act(forum, settingsChange, { actor: await anAdmin(), key: by.key, input: theirs })
    const mine = { ...COURSE, title: 'Mine', accent: 'blue', version }
    const conflict = await browser.post(settings, mine)
    assert.equal(conflict.statusCode, 409)
    assert.match(textOf(conflict.body), /Theirs.*Colour Violet/)
    assert.equal(valueIn(conflict.body, 'title'), 'Mine')
    const again = await browser.post(settings, { ...mine, version: valueIn(conflict.body, 'version') ?? '' })
    assert.equal(again.headers.location, settings)
    assert.equal(valueIn((await browser.get(settings)).body, 'title'), 'Mine')
    const { isChanged } = await act(forum, settingsChange, { ...by, input: mine })
    assert.equal(isChanged, true, 'the same again is no conflict')
    assert.match((await browser.get(path)).body, /data-accent="blue"/)
  })

  test('a section changes only its own fields, and a box that is not sent switches nothing off elsewhere', async () => {
    const { course, browser, path: ofCourse } = await anInstructor({ title: 'Before' })
    const path = `${ofCourse}/settings`
    const save = async (fields: Record<string, string>, place = '') => {
      const { version } = await rowOf(forum.db, 'courses', course.id)
      const answer = await browser.post(path, { ...fields, version })
      assert.equal(answer.headers.location, `${path}${place}`)
      return rowOf(forum.db, 'courses', course.id)
    }
    const boxes = { allows_private: '1', allows_anonymous: '1' }
    await save({ section: 'access', visibility: 'private', asking: 'members', ...boxes }, '#access')
    await save({ section: 'asking', promise_hours: '24', question_template: 'Tried' }, '#asking')
    const { title, language, time_zone, accent } = COURSE
    const general = { section: 'general', title, field: '', description: '', language, time_zone, accent }
    const after = await save({ ...general, promise_hours: '1' })
    const kept = [after.is_public, after.allows_private, after.allows_anonymous, after.promise_hours]
    assert.deepEqual([after.title, ...kept], [title, false, true, true, 24])
    const part = await save({ title: 'Only the title' })
    const parts = [part.title, part.allows_anonymous, part.question_template]
    assert.deepEqual(parts, ['Only the title', true, 'Tried'])
    const off = await save({ section: 'access', visibility: 'private', asking: 'members' }, '#access')
    assert.deepEqual([off.allows_private, off.allows_anonymous, off.promise_hours], [false, false, 24])
    const refused = await browser.post(path, { ...general, title: '', version: off.version })
    assert.equal(refused.statusCode, 422)
    assert.equal(valueIn(refused.body, 'promise_hours'), '24', 'the other sections show what there is')
  })

  test('a course is archived and opened again', async () => {
    const { by, browser, path } = await anInstructor()
    const asking = async () => (await browser.get(`/questions/new?course=${by.key}`)).statusCode
    await act(forum, courseArchiving, { ...by, input: { value: '1' } })
    assert.equal(await asking(), 403)
    assert.match(textOf((await browser.get(path)).body), /Archived/)
    await act(forum, courseArchiving, { ...by, input: { value: '0' } })
    assert.equal(await asking(), 200)
  })

  test('a copy for the next run has settings, lectures and categories, and neither people nor questions', async () => {
    const { db } = forum
    const parts = { lectures: ['Verbs', 'Codes'], categories: ['Projects'] }
    const { course, person, by, browser, path } = await anInstructor({ title: 'REST 2026', ...parts })
    await aMember(db, course)
    const asked = await aQuestion(db, { course })
    await anAnswer(db, { question: asked, body: 'Because it must.' })
    await act(forum, faqEntry, { ...by, input: { question: `${asked.id}`, state: 'shown' } })
    await setRows(db, 'courses', course.id, { accent: 'plum', field: 'Backend' })
    const answer = await browser.post(`${path}/copy`, { title: 'REST 2027' })
    assert.equal(answer.headers.location, '/courses/rest-2027/settings')
    const copy = await rowOf(db, 'courses', { slug: 'rest-2027' })
    assert.deepEqual([copy.accent, copy.field, copy.questions_count], ['plum', 'Backend', 0])
    for (const table of ['lectures', 'categories'] as const)
      assert.equal((await rowsOf(db, table, { course_id: copy.id })).length, 2, table)
    const [entry, ...more] = await rowsOf(db, 'faq_entries', { course_id: copy.id })
    const copied = [entry?.title, entry?.body, entry?.question_id, more]
    assert.deepEqual(copied, [asked.title, 'Because it must.', null, []])
    assert.deepEqual(await membersOf(copy.id), [`${person.id} instructor`])
  })

  test('a copy that an admin makes has an instructor, too: who made it', async () => {
    const [{ slug: key }, admin] = [await aCourse(forum.db), await anAdmin()]
    const { slug } = await act(forum, courseCopy, { actor: admin, key, input: { title: 'By an admin' } })
    const { id } = await rowOf(forum.db, 'courses', { slug })
    assert.deepEqual(await membersOf(id), [`${admin.id} instructor`])
  })

  test('categories are added, renamed and removed; their questions go to the first one', async () => {
    const { db } = forum
    const { course, by, browser, path } = await anInstructor()
    await refuses(forum, categoryMaking, by, [[{ name: '' }, 'name: courseSettings.category.short']])
    const made = await browser.post(`${path}/categories`, { name: 'Projects' })
    assert.equal(made.headers.location, `${path}/categories`)
    const { id } = await rowOf(db, 'categories', { course_id: course.id, name: 'Projects' })
    const category = { actor: by.actor, key: { slug: course.slug, part: id } }
    await act(forum, categoryChange, { ...category, input: { name: 'Final projects' } })
    assert.match((await browser.get(`${path}/categories`)).body, /value="Final projects"/)
    const question = await aQuestion(db, { course, categoryId: id })
    await act(forum, categoryRemoval, category)
    assert.equal((await rowOf(db, 'questions', question.id)).category_id, course.categoryId)
    const first = { actor: by.actor, key: { slug: course.slug, part: course.categoryId } }
    assert.equal(await refusalOf(forum, categoryRemoval, first), 'notFound', 'the first stays')
    assert.equal(await refusalOf(forum, categoryChange, { ...category, input: { name: 'x' } }), 'notFound')
  })
})
