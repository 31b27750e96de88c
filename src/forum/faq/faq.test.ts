import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { setAudience } from '../../testing/audience.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { followInstead } from '../follows/following.ts'
import { faqChange, faqEntry, faqMove } from './operations.ts'

type Sent = Readonly<Record<string, unknown>>

const TEXT = { title: 'Which Java do we use?', body: 'Java **25**, zyxwhich.' }

suite('what is asked again and again', () => {
  const forum = sharedForum()

  async function aStaffedCourse() {
    const course = await aCourse(forum.db, { lectures: ['Verbs', 'Codes'] })
    const assistant = await aMember(forum.db, course, 'assistant')
    const instructor = await aMember(forum.db, course, 'instructor')
    const { id, slug: key } = course
    const add = (input: Sent, actor = instructor) => act(forum, faqEntry, { actor, key, input })
    const entries = () => rowsOf(forum.db, 'faq_entries', { course_id: id })
    const [browser, path] = [await signedIn(forum.app, instructor), `/courses/${key}/faq`]
    return { course, assistant, instructor, browser, path, add, entries }
  }
  /** A course with one entry that is shown. */
  async function anEntry() {
    const course = await aStaffedCourse()
    await course.add({ ...TEXT, state: 'shown' })
    const entry = async () => (await course.entries())[0] ?? assert.fail('none')
    const by = { actor: course.instructor, key: (await entry()).id }
    const change = (input: Sent) => refusalOf(forum, faqChange, { ...by, input })
    return { ...course, by, entry, change, form: `/faq/${by.key}` }
  }

  test('is proposed by assistants and shown by instructors', async () => {
    const { course, assistant, instructor, add, entries, path } = await aStaffedCourse()
    await add({ ...TEXT, state: 'shown' }, assistant)
    const guest = visitor(forum.app)
    assert.doesNotMatch(textOf((await guest.get(path)).body), /Which Java/)
    const [entry = assert.fail()] = await entries()
    assert.equal(entry.state, 'proposed')
    const showing = { key: entry.id, input: { state: 'shown', position: 3 } }
    assert.equal(await refusalOf(forum, faqChange, { ...showing, actor: assistant }), 'forbidden')
    await act(forum, faqChange, { ...showing, actor: instructor })
    const page = await guest.get(path)
    assert.match(page.body, /<strong>25<\/strong>/)
    assert.doesNotMatch(page.body, /<textarea/)
    assert.match(textOf((await guest.get(`/courses/${course.slug}`)).body), /Which Java do we use/)
    assert.match((await guest.get('/search?q=zyxwhich')).body, /#faq-\d+/)
    assert.match((await guest.get(`/courses/${course.slug}/feed.atom`)).body, /Which Java do we use/)
    await aQuestion(forum.db, { course })
    for (const query of ['sort=votes', 'status=unanswered']) {
      const list = await guest.get(`/questions?course=${course.slug}&${query}`)
      assert.doesNotMatch(list.body, /question-title[^>]*>[^<]*Which Java/)
    }
  })

  test('may be a question by number or address, with its best answer', async () => {
    const { course, instructor: actor, path, entries } = await aStaffedCourse()
    const question = await aQuestion(forum.db, { course, title: 'Why 405?' })
    await anAnswer(forum.db, { question, body: 'Map it on the item.' })
    const unknown = [String((await aQuestion(forum.db)).id), 'x', '999999999', '/questions/']
    await refuses(forum, faqEntry, { actor, key: course.slug }, [
      [{ question: `http://localhost:3000${questionPath(question)}`, state: 'shown' }, 'done'],
      [{ question: String(question.id), state: 'shown' }, 'done'],
      ...unknown.map((question) => [{ question }, 'question: faq.question.unknown'] as const),
      [{ title: 'Only a title' }, 'title: faq.nothing'],
    ])
    assert.equal((await entries()).length, 1)
    const page = async () => textOf((await visitor(forum.app).get(path)).body)
    assert.match(await page(), /Why 405\? Map it on the item\./)
    await setAudience(forum.db, question.id, 'staff')
    assert.doesNotMatch(await page(), /Why 405/)
  })

  test('is proposed by the forum: what was asked again most, and the most viewed resolved question of a lecture', async () => {
    const { course, assistant, instructor, add, entries, path } = await aStaffedCourse()
    const [first = 0, second = 0] = course.lectureIds
    const asked = await aQuestion(forum.db, { course, title: 'Asked three times' })
    const again = [await aQuestion(forum.db, { course }), await aQuestion(forum.db, { course })]
    const same = forum.db.updateTable('questions').set({ duplicate_of: asked.id })
    for (const { id } of again) await same.where('id', '=', id).execute()
    await within(forum.db, followInstead, asked.id, (await aMember(forum.db, course)).id, null)
    const resolved = { course, status: 'resolved' } as const
    await aQuestion(forum.db, { ...resolved, lectureId: first, views: 900, title: 'Seen most in the first' })
    await aQuestion(forum.db, { ...resolved, lectureId: first, views: 800, title: 'Seen less in the first' })
    await aQuestion(forum.db, { ...resolved, lectureId: second, views: 20, title: 'Seen most in the second' })
    await aQuestion(forum.db, { course, views: 9000, title: 'Seen most of all, unresolved' })
    const staff = await signedIn(forum.app, assistant)
    const page = async (reader = staff) => textOf((await reader.get(path)).body)
    const text = await page()
    assert.match(text, /Asked three times Suggested: asked again 3 times/)
    assert.match(text, /Seen most in the first.*900 times.*Seen most in the second/)
    assert.doesNotMatch(text, /Seen less|unresolved/)
    const question = String(asked.id)
    await add({ question, state: 'declined' })
    assert.doesNotMatch(await page(), /Asked three times Proposed/)
    await add({ question }, assistant)
    const [entry = assert.fail()] = await entries()
    assert.equal(entry.state, 'declined', 'what was declined stays so')
    await act(forum, faqChange, { actor: instructor, key: entry.id, input: { state: 'shown' } })
    assert.match(await page(), /asked again 3 times/)
    assert.doesNotMatch(await page(visitor(forum.app)), /asked again/)
  })

  test('is moved up and down, and has contents from the sixth entry on', async () => {
    const { instructor: actor, browser, path, add, entries } = await aStaffedCourse()
    const titled = (title: string) => add({ title, body: 'Text.', state: 'shown', position: '1' })
    for (const title of ['First', 'Second', 'Third', 'Fourth', 'Fifth']) await titled(title)
    const page = async () => (await visitor(forum.app).get(path)).body
    const titles = async () =>
      Array.from((await page()).matchAll(/<h2>\s*([^<]*?)\s*<\/h2>/g), ([, title]) => title)
    assert.deepEqual(await titles(), ['First', 'Second', 'Third', 'Fourth', 'Fifth'])
    const [{ id: key } = assert.fail()] = await entries()
    const moved = await browser.post(`/faq/${key}/move`, { direction: 'down' })
    assert.equal(moved.headers.location, `${path}#faq-${key}`)
    assert.deepEqual(await titles(), ['Second', 'First', 'Third', 'Fourth', 'Fifth'])
    for (let times = 0; times < 2; times += 1)
      await act(forum, faqMove, { actor, key, input: { direction: 'up' } })
    assert.deepEqual(await titles(), ['First', 'Second', 'Third', 'Fourth', 'Fifth'])
    assert.doesNotMatch(await page(), /id="contents"/)
    await titled('Sixth')
    assert.match(await page(), new RegExp(`<a href="#faq-${key}">First</a>`))
    assert.match((await browser.get(`${path}?edit=${key}`)).body, /<details open/)
  })

  test('is changed in part: what is left empty stays', async () => {
    const { by, change, entry } = await anEntry()
    assert.equal(await change({ title: 'Which Java is it?', body: '' }), 'done')
    const { title, body, state } = await entry()
    assert.deepEqual([title, body, state], ['Which Java is it?', TEXT.body, 'shown'])
    assert.equal(await change({ position: '0' }), 'position: faq.position.wrong')
    assert.equal(await refusalOf(forum, faqChange, { ...by, key: 999_999_999 }), 'notFound')
  })

  test('of two who change an entry at once, the second sees both texts, and saves again on purpose', async () => {
    const { browser, path, form: address, by, change, entry } = await anEntry()
    const version = valueIn((await browser.get(`${path}?edit=${by.key}`)).body, 'version') ?? ''
    assert.equal(await change({ ...TEXT, body: 'Theirs.', version }), 'done')
    const mine = { title: 'My title', body: 'Mine.', position: '7', state: 'declined', version }
    const conflict = await browser.post(address, mine)
    assert.equal(conflict.statusCode, 409)
    const form = conflict.body.slice(conflict.body.indexOf('<details open'))
    assert.match(textOf(form), /Current version.*Theirs\./)
    const typed = ['title', 'position'].map((name) => valueIn(form, name))
    assert.deepEqual([...typed, form.includes('Mine.')], ['My title', '7', true])
    assert.equal((await entry()).body, 'Theirs.')
    const again = { ...mine, version: valueIn(form, 'version') ?? '' }
    assert.equal((await browser.post(address, again)).statusCode, 303)
    assert.equal(await change(again), 'done', 'the same again is no conflict')
    const { title, body, position, state } = await entry()
    assert.deepEqual([title, body, position, state], ['My title', 'Mine.', 7, 'declined'])
  })

  test('a change that is refused stays in the form of its entry', async () => {
    const { browser, form: address, by } = await anEntry()
    const refused = await browser.post(address, { title: 'Changed', body: 'New.', position: 'x' })
    assert.equal(refused.statusCode, 422)
    const [, form = '', others = ''] = /<details open([\s\S]*?)<\/details>([\s\S]*)/.exec(refused.body) ?? []
    const typed = ['title', 'position'].map((name) => valueIn(form, name))
    assert.deepEqual(typed, ['Changed', 'x'])
    assert.match(form, new RegExp(`href="#position-${by.key}"`))
    assert.doesNotMatch(textOf(form), /Current version/)
    assert.doesNotMatch(others, /Changed/, 'the form for a new entry is empty')
  })

  test('a change that was typed while signed out is there again after signing in, in the form of its entry', async () => {
    const { browser, path, form: address, by } = await anEntry()
    const typed = { title: 'Changed', body: 'New.', position: '7', version: '1', entry: String(by.key) }
    const guest = visitor(forum.app)
    const headers = { referer: `http://localhost${path}` }
    const sent = await guest.post(address, typed, { token: null, headers })
    const next = new URL(String(sent.headers.location), 'http://localhost').searchParams.get('next') ?? ''
    assert.match(next, /faq\?kept=/)
    browser.cookies.set('kept', guest.cookies.get('kept') ?? '')
    const { body } = await browser.get(next)
    const [, form = ''] = /<details open([\s\S]*?)<\/details>/.exec(body) ?? []
    for (const name of ['entry', 'version', 'title', 'position'] as const)
      assert.equal(valueIn(form, name), typed[name])
    assert.match(form, /New\./)
  })
})
