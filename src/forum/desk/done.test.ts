import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { anAnswer, aPerson, aReply } from '../../testing/builders.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { archiveCourse } from '../course-settings/operations.ts'
import { questionResolution, setResolution } from '../posts/resolution.ts'
import { questionDone } from './done.ts'
import { countDesk } from './queries.ts'
import { aDesk, forumOfDesk } from './testing.ts'
import { DESK_VIEWS } from './views.ts'

const HOUR_MS = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS)

const UNDO =
  /<form method="post" action="([^"]*)">\s*((?:<input type="hidden"[^>]*>\s*)+)<button class="quiet" data-key="z">/

/** The form beside the message that undoes what was done. */
function undoOf(body: string): { readonly path: string; readonly fields: Record<string, string> } {
  const [, path = '', hidden = ''] = UNDO.exec(body) ?? assert.fail('no undo')
  const fields = Array.from(hidden.matchAll(/name="([^"]*)" value="([^"]*)"/g), ([, name, value]) => [
    name,
    value?.replaceAll('&amp;', '&'),
  ])
  return { path, fields: Object.fromEntries(fields.filter(([name]) => name !== '_csrf')) }
}

suite('what staff do without a text', () => {
  const forum = forumOfDesk()

  async function aThread() {
    const { course, staff, asks, does, browser, path: desk } = await aDesk(forum)
    const question = await asks(30, 'Why a token?')
    const row = () => rowOf(forum.db, 'question_desk', { question_id: question.id })
    const views = async () => {
      const counts = await countDesk(forum.db, { courseId: course.id, lectureId: null, viewerId: staff.id })
      return DESK_VIEWS.filter((view) => counts[view] > 0)
    }
    return { course, staff, asker: { id: question.authorId }, question, desk, browser, does, row, views }
  }

  const act = (browser: Browser, id: number, name: string, fields: Record<string, string>) =>
    browser.post(`/questions/${id}/${name}`, fields)

  test('Done takes a thank-you off the queue, is no first answer, and can be undone', async () => {
    const { staff, asker, question, desk, browser, row, views } = await aThread()
    assert.doesNotMatch((await browser.get(desk)).body, /data-key="d"/, 'not offered before staff answered')
    const refused = await act(browser, question.id, 'done', { value: '1' })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /Answer it first/)
    assert.deepEqual(await views(), ['waiting'])

    await anAnswer(forum.db, { question, author: staff, writtenAt: ago(20) })
    await aReply(forum.db, { question, author: asker, body: 'Thanks!', writtenAt: ago(10) })
    const before = await row()
    assert.match((await browser.get(desk)).body, /data-key="d"/)
    const stay = `${desk}?question=${question.id}`
    const done = await act(browser, question.id, 'done', { value: '1', back: desk, stay })
    assert.deepEqual([done.statusCode, done.headers.location], [303, desk])
    const { path, fields } = undoOf((await browser.get(desk)).body)
    assert.deepEqual(await views(), [])
    assert.deepEqual((await row()).first_staff_at, before.first_staff_at)
    assert.equal((await browser.post(path, fields)).headers.location, stay)
    assert.deepEqual((await row()).waiting_since, before.waiting_since)
  })

  test('Resolve closes it, and its undo leaves it waiting since when it did', async () => {
    const { question, desk, browser, does, row, views } = await aThread()
    const before = await row()
    await act(browser, question.id, 'resolution', { status: 'resolved', back: desk, stay: desk })
    const { path, fields } = undoOf((await browser.get(desk)).body)
    assert.deepEqual(await views(), [])
    await browser.post(path, fields)
    assert.deepEqual((await row()).waiting_since, before.waiting_since)
    for (const status of ['resolved', 'unresolved']) await does(questionResolution, question, { status })
    assert.ok(Number((await row()).waiting_since) > Number(before.waiting_since), 'reopening is another word')
  })

  test('a reply after the end is in a view of its own until staff see to it, and its asker may reopen with it', async () => {
    const { staff, asker, question, does, views } = await aThread()
    await anAnswer(forum.db, { question, author: staff, writtenAt: ago(20) })
    await within(forum.db, setResolution, question.id, 'resolved')
    const learner = await signedIn(forum.app, asker)
    const page = await learner.get(`/questions/${question.id}/why-a-token`)
    assert.match(page.body, /name="reopen" value="1">Reply and reopen/)
    await act(learner, question.id, 'replies', { body: 'One more thing.' })
    assert.deepEqual(await views(), ['closed'])
    await does(questionDone, question, { value: '1' })
    assert.deepEqual(await views(), [])
    const other = await signedIn(forum.app, await aPerson(forum.db))
    await act(other, question.id, 'replies', { body: 'Me too.', reopen: '1' })
    assert.deepEqual(await views(), ['closed'], 'a classmate cannot reopen it')
    await act(learner, question.id, 'replies', { body: 'It does not work.', reopen: '1' })
    assert.deepEqual(await views(), ['waiting'])
  })

  test('closing is offered where the asker has not answered staff for fourteen days', async () => {
    const { staff, question, desk, browser, views } = await aThread()
    await setRows(forum.db, 'questions', question.id, { written_at: ago(500) })
    const asked = await aReply(forum.db, { question, author: staff, writtenAt: ago(13 * 24) })
    assert.deepEqual(await views(), ['asker'])
    const open = async () => (await browser.get(`${desk}?question=${question.id}`)).body
    assert.doesNotMatch(await open(), /No reply from the author/)
    await setRows(forum.db, 'replies', asked.id, { written_at: ago(14 * 24 + 1) })
    assert.match(await open(), /No reply from the author for 14 days/)
  })

  test('an archived course says so where nothing waits', async () => {
    const { course, question, desk, browser } = await aThread()
    await within(forum.db, archiveCourse, course.id, true)
    const page = (await browser.get(desk)).body
    assert.match(page, /This course is archived, so no questions are waiting/)
    assert.match((await browser.get('/courses')).body, /class="pill">Archived/)
    assert.match((await browser.get(`${desk}?view=all`)).body, new RegExp(question.title.replace('?', '\\?')))
  })
})
