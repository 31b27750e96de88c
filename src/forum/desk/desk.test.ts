import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FIRST_PAGE, writeCursor } from '../../database/keyset.ts'
import { refusalOf, refuses } from '../../testing/act.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aReply, type MadeQuestion } from '../../testing/builders.ts'
import { relIn } from '../../testing/page.ts'
import { aDayAhead } from '../../testing/pass-time.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { addMember } from '../courses/commands.ts'
import { courseLeaving } from '../courses/roles.ts'
import { setResolution } from '../posts/resolution.ts'
import { answerOnDesk } from './answer.ts'
import { questionAssignment } from './assignment.ts'
import { listDesk } from './queries.ts'
import { answerSaving, savedAnswerRemoval } from './saved-answers.ts'
import { questionSnooze } from './snooze.ts'
import { aDesk, forumOfDesk } from './testing.ts'
import type { DeskViewName } from './views.ts'

const ME = { assignee: 'me' }

suite('the desk', () => {
  const forum = forumOfDesk()

  async function aQueue() {
    const desk = await aDesk(forum)
    const [old, young] = [await desk.asks(30, 'An old question'), await desk.asks(2, 'A young question', 1)]
    const { course, staff } = desk
    const titlesIn = async (view: DeskViewName) => {
      const filter = { courseId: course.id, view, lectureId: null, viewerId: staff.id }
      return (await listDesk(forum.db, filter, FIRST_PAGE)).rows.map(({ title }) => title)
    }
    return { ...desk, old, young, titlesIn, by: { actor: staff, key: old.id } }
  }

  /** Titles in the queue, in their order. */
  const queue = async (browser: Browser, path: string) => titles((await browser.get(path)).body)
  const titles = (body: string) =>
    [...body.matchAll(/<a class="strong cover"[^>]*>([^<]*)<\/a>/g)].map((match) => match[1] ?? '')

  const deskOf = ({ id }: MadeQuestion) => rowOf(forum.db, 'question_desk', { question_id: id })
  const assigneeOf = async (question: MadeQuestion) => (await deskOf(question)).assignee_id
  const followersOf = async ({ id }: MadeQuestion) =>
    valuesOf(await rowsOf(forum.db, 'question_follows', { question_id: id }), 'person_id')

  test('shows what waits, longest first, with one of them open; and of one lecture', async () => {
    const { browser, path } = await aQueue()
    const { body } = await browser.get(path)
    assert.deepEqual(titles(body), ['An old question', 'A young question'])
    assert.deepEqual(await queue(browser, `${path}?lecture=2`), ['A young question'])
    assert.equal((await browser.get(`${path}?lecture=7`)).statusCode, 404)
    assert.match(body, /1 d 6 h/)
    assert.match(body, /class="desk-title"[^>]*>\s*<a[^>]*>An old question/)
  })

  test('the title of what waits is text', async () => {
    const { browser, path, asks } = await aQueue()
    await asks(1, 'Is <i>201</i> it?')
    assert.equal((await queue(browser, path)).at(-1), 'Is &lt;i&gt;201&lt;/i&gt; it?')
  })

  test('each view holds what it says', async () => {
    const { course, browser, path, old, young, asks, staff, does, titlesIn } = await aQueue()
    await anAnswer(forum.db, { question: old })
    assert.deepEqual(await titlesIn('waiting'), ['A young question'])
    assert.deepEqual(await titlesIn('classmates'), ['An old question'])
    await does(questionAssignment, young, ME)
    assert.deepEqual(await titlesIn('mine'), ['A young question'])
    await does(questionSnooze, young, { until: aDayAhead(2) })
    assert.deepEqual(await titlesIn('waiting'), [])
    assert.deepEqual(await queue(browser, `${path}?view=snoozed`), ['A young question'])
    const secret = await asks(1, 'A private question')
    await setRows(forum.db, 'questions', secret.id, { audience: 'staff' })
    for (const view of ['private', 'waiting'] as const)
      assert.deepEqual(await titlesIn(view), ['A private question'], view)
    await anAnswer(forum.db, { question: secret, author: staff })
    assert.equal((await titlesIn('all')).length, 3)
    assert.match((await browser.get(`/courses/${course.slug}`)).body, /\/desk">Desk</)
  })

  test('pages through many, forth and back', async () => {
    const { browser, path, asks } = await aQueue()
    for (let hours = 100; hours < 140; hours += 1) await asks(hours)
    const first = (await browser.get(path)).body
    const all = [...titles(first), ...(await queue(browser, relIn(first, 'next') ?? ''))]
    assert.equal(new Set(all).size, 42)
    assert.deepEqual([all.at(0), all.at(-1)], ['Waits for 139 hours', 'A young question'])
  })

  test('next leads to what waits longest and nobody else has taken', async () => {
    const { browser, colleague, does, path, old, young } = await aQueue()
    const next = async () => (await browser.get(`${path}/next`)).headers.location
    assert.equal(await next(), questionPath(old))
    await does(questionAssignment, old, ME, colleague)
    assert.equal(await next(), questionPath(young))
    await does(questionSnooze, young, { until: aDayAhead(1) })
    assert.equal(await next(), path)
  })

  test('of two who take a question at once one gets it, and the other is told who has it', async () => {
    const { browser, other, old, staff, colleague, does } = await aQueue()
    const [one, two] = await Promise.allSettled(
      [staff, colleague].map((actor) => does(questionAssignment, old, ME, actor)),
    )
    assert.deepEqual([one?.status, two?.status].sort(), ['fulfilled', 'rejected'])
    const [winner, loser] = one?.status === 'fulfilled' ? [staff, other] : [colleague, browser]
    assert.equal(await assigneeOf(old), winner.id)
    assert.ok((await followersOf(old)).includes(winner.id))
    const path = `/questions/${old.id}/assignment`
    const told = await loser.post(path, ME)
    assert.equal(told.statusCode, 409)
    assert.ok(told.body.includes(winner.displayName))
    const over = await loser.post(path, { ...ME, seen: winner.id })
    assert.equal(over.statusCode, 303, 'who saw who has it can take it over')
  })

  test('a question is given to staff alone, none who left with a role left behind, and put back', async () => {
    const { by, does, old, colleague, course } = await aQueue()
    await does(questionAssignment, old, { assignee: `${colleague.id}` })
    assert.equal(await assigneeOf(old), colleague.id)
    assert.ok((await followersOf(old)).includes(colleague.id))
    const [learner, stranger] = [await aMember(forum.db, course, 'learner'), await aPerson(forum.db)]
    const nobody = [`${learner.id}`, `${stranger.id}`, '999999999', 'x', '-1']
    await does(questionAssignment, old, { assignee: '' })
    assert.equal(await assigneeOf(old), null)
    await setRows(forum.db, 'people', colleague.id, { left_at: new Date() })
    nobody.push(`${colleague.id}`)
    const refused = nobody.map((assignee) => [{ assignee }, 'invalid'] as const)
    await refuses(forum, questionAssignment, by, refused)
    assert.equal(await assigneeOf(old), null)
  })

  test('losing the role, leaving and resolving take it away again', async () => {
    const { old, young, staff, course, does } = await aQueue()
    for (const question of [old, young]) await does(questionAssignment, question, ME)
    await within(forum.db, setResolution, young.id, 'resolved')
    assert.equal(await assigneeOf(young), null)
    await within(forum.db, addMember, course.id, staff.id, 'learner')
    assert.equal(await assigneeOf(old), null)
    await within(forum.db, addMember, course.id, staff.id, 'assistant')
    await does(questionAssignment, old, ME)
    assert.equal(await assigneeOf(old), staff.id)
    assert.equal(await refusalOf(forum, courseLeaving, { actor: staff, key: course.slug }), 'done')
    assert.equal(await assigneeOf(old), null)
  })

  test('a role taken away while the desk is open: 403, and what was typed is on the page', async () => {
    const { browser, old, staff, course, path } = await aQueue()
    await browser.get(path)
    await within(forum.db, addMember, course.id, staff.id, 'learner')
    const fields = { act: 'answer', body: 'Typed for ten minutes.' }
    const refused = await browser.post(`/questions/${old.id}/desk`, fields)
    assert.equal(refused.statusCode, 403)
    assert.match(refused.body, /Typed for ten minutes\./)
  })

  test('snoozes until a day to come, and nothing else; the asker’s word wakes it', async () => {
    const { browser, by, does, old } = await aQueue()
    const past = ['2020-01-01', '2026-02-30', 'tomorrow', '9999-12-31', aDayAhead(-1)]
    const wrong = past.map((until) => [{ until }, 'until: desk.pin.day'] as const)
    await refuses(forum, questionSnooze, by, wrong)
    const { body } = await browser.post(`/questions/${old.id}/snooze`, { until: '2020-01-01' })
    assert.match(body, /Choose a date within the next year\.[\s\S]*name="until"[^>]*value="2020-01-01"/)
    const snoozed = async (until: string) => {
      await does(questionSnooze, old, { until })
      return (await deskOf(old)).snoozed_until
    }
    assert.notEqual(await snoozed(aDayAhead(3)), null)
    assert.equal(await snoozed(''), null)
    await snoozed(aDayAhead(3))
    await anAnswer(forum.db, { question: old })
    await aReply(forum.db, { question: old, author: { id: old.authorId } })
    assert.equal((await deskOf(old)).snoozed_until, null)
  })

  test('answers right there: answer, answer and resolve, ask back', async () => {
    const { browser, old, young, asks, does, path, titlesIn } = await aQueue()
    const third = await asks(1, 'A third question')
    const sent = { act: 'answer', body: 'It is in lecture one.', back: `${path}?view=all` }
    const answered = await browser.post(`/questions/${old.id}/desk`, sent)
    assert.equal(answered.headers.location, `${path}?view=all`)
    await does(answerOnDesk, young, { ...sent, act: 'resolve' })
    const { postId } = await does(answerOnDesk, third, { act: 'ask', body: 'Which version?' })
    for (const [{ id }, state, answers] of [
      [old, 'unresolved', 1],
      [young, 'resolved', 1],
      [third, 'unresolved', 0],
    ] as const) {
      const { status, answers_count } = await rowOf(forum.db, 'questions', id)
      assert.deepEqual([status, answers_count], [state, answers])
    }
    const reply = await rowOf(forum.db, 'replies', postId)
    assert.deepEqual([reply.question_id, reply.body], [third.id, 'Which version?'])
    assert.deepEqual(await titlesIn('waiting'), [])
  })

  test('what is refused or filled in stays at its place of the queue, and names the address that shows it', async () => {
    const { browser, by, old, young, path } = await aQueue()
    await refuses(forum, answerOnDesk, by, [
      [{ act: 'answer', body: ' ' }, 'body: posts.body.short'],
      [{ act: 'dance', body: 'x' }, 'act: forms.choice'],
    ])
    const first = await browser.get(`${path}?view=all&lecture=1`)
    const kept = { view: 'all', lecture: 1, body: 'word '.repeat(2000), act: 'ask' }
    const refused = await browser.post(`/questions/${old.id}/desk`, kept)
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /word word/)
    const address = (body: string) => /data-address="([^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
    assert.equal(address(refused.body), `${path}?view=all&lecture=1&question=${old.id}`)
    assert.deepEqual(titles(refused.body), titles(first.body))
    const again = await browser.get(address(refused.body) ?? '')
    assert.equal(address(again.body), address(refused.body))
    assert.equal(address((await browser.get(path)).body), `${path}?question=${old.id}`)
    const before = writeCursor({ value: Date.now() - 1000, id: young.id })
    const paged = await browser.post(`/questions/${old.id}/desk`, { ...kept, view: 'waiting', before })
    assert.match(address(paged.body) ?? '', new RegExp(`before=${before}`))
    assert.match(paged.body, new RegExp(`name="before" value="${before}"`))
  })

  /** Answers that staff of a question's course saved, by what is sent. */
  async function savedBy({ actor, course }: { actor: { id: number }; course: { id: number; slug: string } }) {
    const saving = { actor, key: course.slug }
    const save = (input: Record<string, string>) => refusalOf(forum, answerSaving, { ...saving, input })
    return { saving, save, answers: () => rowsOf(forum.db, 'saved_answers', { course_id: course.id }) }
  }

  test('saved answers are shared, filled in, edited and removed', async () => {
    const { browser, other, staff: actor, course, old, path } = await aQueue()
    const { saving, save, answers } = await savedBy({ actor, course })
    assert.equal(await save({ title: 'See lecture', body: 'Hello {name}, see {lecture} {x}.' }), 'done')
    const near = { title: 'Near', body: 'Hello {Name}!' }
    await refuses(forum, answerSaving, saving, [
      [{ title: 'See lecture', body: 'Again.' }, 'title: desk.saved.taken'],
      [{ title: '', body: '' }, 'title: desk.saved.noName, body: desk.saved.noText'],
      [near, 'body: desk.saved.nearMiss'],
    ])
    const refused = await browser.post(`${path}/saved`, near)
    assert.match(refused.body, /{Name} isn’t a placeholder\. Did you mean {name}\?/)
    assert.equal(await save({ ...near, as_is: '1' }), 'done')
    const id = (await answers())[0]?.id ?? 0
    const { display_name: asker } = await rowOf(forum.db, 'people', old.authorId)
    const filled = await other.post(`/questions/${old.id}/desk`, { saved: id, body: 'Typed.' })
    assert.equal(filled.statusCode, 200)
    assert.match(filled.body, new RegExp(`Typed\\.\\s+Hello ${asker}, see 1 · One {x}\\.`))
    const edit = { id: `${id}`, version: '1', title: 'See', body: 'Changed.' }
    assert.equal(await save(edit), 'done')
    assert.equal(await save({ ...edit, body: 'Too late.' }), 'edited-meanwhile')
    assert.match((await other.get(`${path}/saved`)).body, /Changed\./)
    assert.equal(await refusalOf(forum, savedAnswerRemoval, { ...saving, input: { id: `${id}` } }), 'done')
    assert.deepEqual(valuesOf(await answers(), 'title'), ['Near'])
  })

  test('a saved answer never tells classmates the name of somebody anonymous', async () => {
    const { browser, old, staff: actor, course } = await aQueue()
    await setRows(forum.db, 'questions', old.id, { is_anonymous: true })
    const { save, answers } = await savedBy({ actor, course })
    await save({ title: 'Hello', body: 'Hello {name}!' })
    const id = (await answers())[0]?.id ?? 0
    const filled = await browser.post(`/questions/${old.id}/desk`, { saved: id, body: '' })
    assert.match(filled.body, /Hello there!/)
  })

  test('a person with one desk is led there; with several, chooses', async () => {
    const { browser, staff, path } = await aQueue()
    assert.equal((await browser.get('/desk')).headers.location, path)
    await aMember(forum.db, await aCourse(forum.db, { title: 'Second course' }), 'instructor', staff)
    const { body, statusCode } = await browser.get('/desk')
    assert.equal(statusCode, 200)
    assert.match(body, /2 wait/)
    assert.match(body, /Second course/)
    const learner = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await learner.get('/desk')).statusCode, 200)
  })
})
