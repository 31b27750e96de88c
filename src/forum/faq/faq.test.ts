import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { within } from '../../testing/within.ts'
import { followInstead } from '../follows/following.ts'

const TEXT = { title: 'Which Java do we use?', body: 'Java **25**, zyxwhich.' }

suite('what is asked again and again', () => {
  const forum = sharedForum()

  async function aStaffedCourse() {
    const course = await aCourse(forum.db, { lectures: ['Verbs', 'Codes'] })
    const [assistant, instructor] = [
      await signedIn(forum.app, await aMember(forum.db, course, 'assistant')),
      await signedIn(forum.app, await aMember(forum.db, course, 'instructor')),
    ]
    return { course, assistant, instructor, path: `/courses/${course.slug}/faq` }
  }

  const entriesOf = (course: { readonly id: number }) =>
    forum.db.selectFrom('faq_entries').selectAll().where('course_id', '=', course.id).orderBy('id').execute()

  test('is proposed by assistants and shown by instructors', async () => {
    const { course, assistant, instructor, path } = await aStaffedCourse()
    const proposed = await assistant.post(path, { ...TEXT, state: 'shown' })
    assert.equal(proposed.headers.location, path)
    const guest = visitor(forum.app)
    assert.doesNotMatch(textOf((await guest.get(path)).body), /Which Java/)
    const [entry] = await entriesOf(course)
    assert.equal(entry?.state, 'proposed')
    assert.equal((await assistant.post(`/faq/${entry?.id}`, { state: 'shown' })).statusCode, 403)
    assert.equal(
      (await instructor.post(`/faq/${entry?.id}`, { state: 'shown', position: 3 })).headers.location,
      path,
    )
    const page = await guest.get(path)
    assert.match(page.body, /<strong>25<\/strong>/)
    assert.doesNotMatch(page.body, /<textarea/)
    assert.match(textOf((await guest.get(`/courses/${course.slug}`)).body), /Which Java do we use/)
    assert.match((await guest.get('/search?q=zyxwhich')).body, /#faq-\d+/)
    assert.match((await guest.get(`/courses/${course.slug}/feed.atom`)).body, /Which Java do we use/)
    const learner = await signedIn(forum.app, await aMember(forum.db, course))
    assert.equal((await learner.post(path, TEXT)).statusCode, 403)
    await aQuestion(forum.db, { course })
    for (const list of [
      `/questions?course=${course.slug}&sort=votes`,
      `/questions?course=${course.slug}&status=unanswered`,
    ])
      assert.doesNotMatch((await guest.get(list)).body, /question-title[^>]*>[^<]*Which Java/)
  })

  test('may be a question by number or address, with its best answer', async () => {
    const { course, instructor, path } = await aStaffedCourse()
    const question = await aQuestion(forum.db, { course, title: 'Why 405?' })
    await anAnswer(forum.db, { question, body: 'Map it on the item.' })
    const address = `http://localhost:3000/questions/${question.id}/why-405`
    assert.equal((await instructor.post(path, { question: address, state: 'shown' })).statusCode, 303)
    await instructor.post(path, { question: question.id, state: 'shown' })
    assert.equal((await entriesOf(course)).length, 1)
    assert.match(textOf((await visitor(forum.app).get(path)).body), /Why 405\? Map it on the item\./)
    const foreign = await aQuestion(forum.db)
    for (const wrong of [String(foreign.id), 'x', '999999999', '/questions/'])
      assert.equal((await instructor.post(path, { question: wrong })).statusCode, 422, wrong)
    assert.equal((await instructor.post(path, { title: 'Only a title' })).statusCode, 422)
    await forum.db.updateTable('questions').set({ audience: 'staff' }).where('id', '=', question.id).execute()
    assert.doesNotMatch((await visitor(forum.app).get(path)).body, /Why 405/)
  })

  test('is proposed by the forum: what was asked again most, and the most viewed resolved question of a lecture', async () => {
    const { course, assistant, instructor, path } = await aStaffedCourse()
    const [first = 0, second = 0] = course.lectureIds
    const asked = await aQuestion(forum.db, { course, title: 'Asked three times' })
    for (let number = 0; number < 2; number += 1) {
      const again = await aQuestion(forum.db, { course })
      await forum.db
        .updateTable('questions')
        .set({ duplicate_of: asked.id })
        .where('id', '=', again.id)
        .execute()
    }
    await within(forum.db, followInstead, asked.id, (await aMember(forum.db, course)).id, null)
    const resolved = { course, status: 'resolved' } as const
    await aQuestion(forum.db, { ...resolved, lectureId: first, views: 900, title: 'Seen most in the first' })
    await aQuestion(forum.db, { ...resolved, lectureId: first, views: 800, title: 'Seen less in the first' })
    await aQuestion(forum.db, { ...resolved, lectureId: second, views: 20, title: 'Seen most in the second' })
    await aQuestion(forum.db, { course, views: 9000, title: 'Seen most of all, unresolved' })
    const text = textOf((await assistant.get(path)).body)
    assert.match(text, /Asked three times Suggested: asked again 3 times/)
    assert.match(text, /Seen most in the first.*900 times.*Seen most in the second/)
    assert.doesNotMatch(text, /Seen less|unresolved/)
    await instructor.post(path, { question: asked.id, state: 'declined' })
    assert.doesNotMatch(textOf((await assistant.get(path)).body), /Asked three times Proposed/)
    await assistant.post(path, { question: asked.id })
    const [entry] = await entriesOf(course)
    assert.equal(entry?.state, 'declined', 'what was declined stays so')
    await instructor.post(`/faq/${entry?.id}`, { state: 'shown' })
    assert.match(textOf((await assistant.get(path)).body), /asked again 3 times/)
    assert.doesNotMatch(textOf((await visitor(forum.app).get(path)).body), /asked again/)
  })

  test('is moved up and down, and has contents from the sixth entry on', async () => {
    const { course, assistant, instructor, path } = await aStaffedCourse()
    for (const title of ['First', 'Second', 'Third', 'Fourth', 'Fifth'])
      await instructor.post(path, { title, body: 'Text.', state: 'shown', position: '1' })
    const titles = async () =>
      [...(await visitor(forum.app).get(path)).body.matchAll(/<h2>\s*([^<]*?)\s*<\/h2>/g)].map(
        ([, title]) => title,
      )
    assert.deepEqual(await titles(), ['First', 'Second', 'Third', 'Fourth', 'Fifth'])
    const [first] = await entriesOf(course)
    const move = `/faq/${first?.id}/move`
    assert.equal(
      (await instructor.post(move, { direction: 'down' })).headers.location,
      `${path}#faq-${first?.id}`,
    )
    assert.deepEqual(await titles(), ['Second', 'First', 'Third', 'Fourth', 'Fifth'])
    await instructor.post(move, { direction: 'up' })
    await instructor.post(move, { direction: 'up' })
    assert.deepEqual(await titles(), ['First', 'Second', 'Third', 'Fourth', 'Fifth'])
    assert.equal((await assistant.post(move, { direction: 'down' })).statusCode, 403)
    assert.doesNotMatch((await visitor(forum.app).get(path)).body, /id="contents"/)
    await instructor.post(path, { title: 'Sixth', body: 'Text.', state: 'shown' })
    assert.match(
      (await visitor(forum.app).get(path)).body,
      new RegExp(`<a href="#faq-${first?.id}">First</a>`),
    )
    assert.match((await instructor.get(`${path}?edit=${first?.id}`)).body, /<details open/)
  })

  test('is changed in part: what is left empty stays', async () => {
    const { course, instructor, path } = await aStaffedCourse()
    await instructor.post(path, { ...TEXT, state: 'shown' })
    const [entry] = await entriesOf(course)
    await instructor.post(`/faq/${entry?.id}`, { title: 'Which Java is it?', body: '' })
    const [changed] = await entriesOf(course)
    assert.deepEqual(
      [changed?.title, changed?.body, changed?.state],
      ['Which Java is it?', TEXT.body, 'shown'],
    )
    assert.equal((await instructor.post(`/faq/${entry?.id}`, { position: '0' })).statusCode, 422)
    assert.equal((await instructor.post('/faq/999999999', { state: 'shown' })).statusCode, 404)
  })

  test('of two who change an entry at once, the second sees both texts, and saves again on purpose', async () => {
    const { course, instructor, path } = await aStaffedCourse()
    await instructor.post(path, { ...TEXT, state: 'shown' })
    const [entry] = await entriesOf(course)
    const change = `/faq/${entry?.id}`
    const version = valueIn((await instructor.get(`${path}?edit=${entry?.id}`)).body, 'version') ?? ''
    assert.equal((await instructor.post(change, { ...TEXT, body: 'Theirs.', version })).statusCode, 303)
    const mine = { title: 'My title', body: 'Mine.', position: '7', state: 'declined', version }
    const conflict = await instructor.post(change, mine)
    assert.equal(conflict.statusCode, 409)
    const form = conflict.body.slice(conflict.body.indexOf('<details open'))
    assert.match(textOf(form), /Current version.*Theirs\./)
    const typed = ['title', 'position'].map((name) => valueIn(form, name))
    assert.deepEqual([...typed, form.includes('Mine.')], ['My title', '7', true])
    assert.equal((await entriesOf(course))[0]?.body, 'Theirs.')
    const again = { ...mine, version: valueIn(form, 'version') ?? '' }
    assert.equal((await instructor.post(change, again)).statusCode, 303)
    assert.equal((await instructor.post(change, again)).statusCode, 303, 'the same again is no conflict')
    const [saved] = await entriesOf(course)
    assert.deepEqual(
      [saved?.title, saved?.body, saved?.position, saved?.state],
      ['My title', 'Mine.', 7, 'declined'],
    )
  })

  test('a change that is refused stays in the form of its entry', async () => {
    const { course, instructor, path } = await aStaffedCourse()
    await instructor.post(path, { ...TEXT, state: 'shown' })
    const [entry] = await entriesOf(course)
    const refused = await instructor.post(`/faq/${entry?.id}`, {
      title: 'Changed',
      body: 'New.',
      position: 'x',
    })
    assert.equal(refused.statusCode, 422)
    const [, form = '', others = ''] = /<details open([\s\S]*?)<\/details>([\s\S]*)/.exec(refused.body) ?? []
    assert.deepEqual(
      ['title', 'position'].map((name) => valueIn(form, name)),
      ['Changed', 'x'],
    )
    assert.match(form, new RegExp(`href="#position-${entry?.id}"`))
    assert.doesNotMatch(textOf(form), /Current version/)
    assert.doesNotMatch(others, /Changed/, 'the form for a new entry is empty')
    assert.equal((await entriesOf(course))[0]?.title, TEXT.title)
  })

  test('a change that was typed while signed out is there again after signing in, in the form of its entry', async () => {
    const { course, instructor, path } = await aStaffedCourse()
    await instructor.post(path, { ...TEXT, state: 'shown' })
    const [entry] = await entriesOf(course)
    const typed = { title: 'Changed', body: 'New.', position: '7', version: '1', entry: String(entry?.id) }
    const guest = visitor(forum.app)
    const sent = await guest.post(`/faq/${entry?.id}`, typed, {
      token: null,
      headers: { referer: `http://localhost${path}` },
    })
    const next = new URL(String(sent.headers.location), 'http://localhost').searchParams.get('next') ?? ''
    assert.match(next, /faq\?kept=/)
    instructor.cookies.set('kept', guest.cookies.get('kept') ?? '')
    const { body } = await instructor.get(next)
    const [, form = ''] = /<details open([\s\S]*?)<\/details>/.exec(body) ?? []
    assert.deepEqual(
      ['entry', 'version', 'title', 'position'].map((name) => valueIn(form, name)),
      [String(entry?.id), '1', 'Changed', '7'],
    )
    assert.match(form, /New\./)
  })
})
