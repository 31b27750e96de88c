import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { writeCursor } from '../../database/keyset.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeQuestion,
} from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { questionPath } from '../../web/paths.ts'
import { addMember } from '../courses/commands.ts'

const HOUR_MS = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS)
const daysAhead = (days: number) => new Date(Date.now() + days * 24 * HOUR_MS).toISOString().slice(0, 10)

suite('the desk', () => {
  const forum = sharedForum()

  async function aDesk() {
    const { app, db } = forum
    const course = await aCourse(db, { lectures: ['One', 'Two'] })
    const [staff, colleague] = [
      await aMember(db, course, 'assistant'),
      await aMember(db, course, 'instructor'),
    ]
    const asks = (title: string, hours: number, lecture = 0) =>
      aQuestion(db, { course, title, writtenAt: ago(hours), lectureId: course.lectureIds[lecture] ?? 0 })
    const [old, young] = [await asks('An old question', 30), await asks('A young question', 2, 1)]
    const path = `/courses/${course.slug}/desk`
    const browser = await signedIn(app, staff)
    return {
      course,
      staff,
      colleague,
      old,
      young,
      path,
      browser,
      asks,
      other: await signedIn(app, colleague),
    }
  }

  /** Titles in the queue, in their order. */
  async function queue(browser: Browser, path: string): Promise<string[]> {
    const { body, statusCode } = await browser.get(path)
    assert.equal(statusCode, 200)
    return titles(body)
  }

  const titles = (body: string) =>
    [...body.matchAll(/<a class="strong cover"[^>]*>([^<]*)<\/a>/g)].map((match) => match[1] ?? '')

  const deskOf = (question: MadeQuestion) =>
    forum.db
      .selectFrom('question_desk')
      .selectAll()
      .where('question_id', '=', question.id)
      .executeTakeFirstOrThrow()
  const follows = async (question: MadeQuestion, person: { id: number }) =>
    (await forum.db
      .selectFrom('question_follows')
      .select('person_id')
      .where('question_id', '=', question.id)
      .where('person_id', '=', person.id)
      .executeTakeFirst()) !== undefined

  test('shows what waits, longest first, with one of them open; and of one lecture', async () => {
    const { browser, path } = await aDesk()
    assert.deepEqual(await queue(browser, path), ['An old question', 'A young question'])
    assert.deepEqual(await queue(browser, `${path}?lecture=2`), ['A young question'])
    assert.equal((await browser.get(`${path}?lecture=7`)).statusCode, 404)
    const { body } = await browser.get(path)
    assert.match(body, /1 d 6 h/)
    assert.match(body, /class="desk-title"[^>]*>\s*<a[^>]*>An old question/)
  })

  test('the title of what waits is text', async () => {
    const { browser, path, asks } = await aDesk()
    await asks('Is <i>201</i> it?', 1)
    assert.equal((await queue(browser, path)).at(-1), 'Is &lt;i&gt;201&lt;/i&gt; it?')
  })

  test('each view holds what it says', async () => {
    const { course, browser, path, old, young, asks, staff } = await aDesk()
    await anAnswer(forum.db, { question: old })
    assert.deepEqual(await queue(browser, path), ['A young question'])
    assert.deepEqual(await queue(browser, `${path}?view=classmates`), ['An old question'])
    await browser.post(`/questions/${young.id}/assignment`, { assignee: 'me' })
    assert.deepEqual(await queue(browser, `${path}?view=mine`), ['A young question'])
    await browser.post(`/questions/${young.id}/snooze`, { until: daysAhead(2) })
    assert.deepEqual(await queue(browser, path), [])
    assert.deepEqual(await queue(browser, `${path}?view=snoozed`), ['A young question'])
    const secret = await asks('A private question', 1)
    await forum.db.updateTable('questions').set({ audience: 'staff' }).where('id', '=', secret.id).execute()
    assert.deepEqual(await queue(browser, `${path}?view=private`), ['A private question'])
    assert.deepEqual(await queue(browser, path), ['A private question'])
    await anAnswer(forum.db, { question: secret, author: staff })
    assert.equal((await queue(browser, `${path}?view=all`)).length, 3)
    assert.match((await browser.get(`/courses/${course.slug}`)).body, /\/desk">Desk</)
  })

  test('pages through many, forth and back', async () => {
    const { browser, path, asks } = await aDesk()
    for (let hours = 100; hours < 140; hours += 1) await asks(`Question ${hours}`, hours)
    const first = (await browser.get(path)).body
    const older = /rel="next" href="([^"]+)"|href="([^"]+)" rel="next"/.exec(first)
    const next = (older?.[1] ?? older?.[2] ?? '').replaceAll('&amp;', '&')
    const titles = [...(await queue(browser, path)), ...(await queue(browser, next))]
    assert.equal(new Set(titles).size, 42)
    assert.equal(titles[0], 'Question 139')
    assert.equal(titles.at(-1), 'A young question')
  })

  test('next leads to what waits longest and nobody else has taken', async () => {
    const { browser, other, path, old, young, course } = await aDesk()
    const next = async () => (await browser.get(`${path}/next`)).headers.location
    assert.equal(await next(), questionPath(old))
    await other.post(`/questions/${old.id}/assignment`, { assignee: 'me' })
    assert.equal(await next(), questionPath(young))
    await browser.post(`/questions/${young.id}/snooze`, { until: daysAhead(1) })
    assert.equal(await next(), `/courses/${course.slug}/desk`)
  })

  test('of two who take a question at once one gets it, and the other is told who has it', async () => {
    const { browser, other, old, staff, colleague } = await aDesk()
    const taken = await Promise.all(
      [browser, other].map((one) => one.post(`/questions/${old.id}/assignment`, { assignee: 'me' })),
    )
    assert.deepEqual(taken.map(({ statusCode }) => statusCode).sort(), [303, 409])
    const winner = taken[0]?.statusCode === 303 ? staff : colleague
    const { assignee_id: assignee } = await deskOf(old)
    assert.equal(assignee, winner.id)
    const told = taken.find(({ statusCode }) => statusCode === 409)?.body ?? ''
    assert.ok(told.includes(winner.displayName))
    assert.ok(await follows(old, winner))
    const loser = winner === staff ? other : browser
    const over = await loser.post(`/questions/${old.id}/assignment`, { assignee: 'me', seen: winner.id })
    assert.equal(over.statusCode, 303, 'who saw who has it can take it over')
  })

  test('a question is given to staff alone, and put back', async () => {
    const { browser, old, colleague, course } = await aDesk()
    const assign = async (assignee: string | number) =>
      (await browser.post(`/questions/${old.id}/assignment`, { assignee })).statusCode
    assert.equal(await assign(colleague.id), 303)
    assert.equal((await deskOf(old)).assignee_id, colleague.id)
    assert.ok(await follows(old, colleague))
    const learner = await aMember(forum.db, course, 'learner')
    for (const nobody of [learner.id, (await aPerson(forum.db)).id, 999_999_999, 'x', '-1'])
      assert.equal(await assign(nobody), 422)
    assert.equal(await assign(''), 303)
    assert.equal((await deskOf(old)).assignee_id, null)
  })

  test('a question is given to nobody who left, even where a role of theirs was left behind', async () => {
    const { browser, old, colleague } = await aDesk()
    const left = { left_at: new Date() }
    await forum.db.updateTable('people').set(left).where('id', '=', colleague.id).execute()
    const given = await browser.post(`/questions/${old.id}/assignment`, { assignee: colleague.id })
    assert.equal(given.statusCode, 422)
    assert.equal((await deskOf(old)).assignee_id, null)
  })

  test('losing the role, leaving and resolving take it away again', async () => {
    const { browser, old, young, staff, course, path } = await aDesk()
    const take = (question: MadeQuestion) =>
      browser.post(`/questions/${question.id}/assignment`, { assignee: 'me' })
    const owner = async () => (await deskOf(old)).assignee_id
    await take(old)
    await take(young)
    await browser.post(`/questions/${young.id}/resolution`, { status: 'resolved' })
    assert.equal((await deskOf(young)).assignee_id, null)
    await forum.db.transaction().execute((write) => addMember(write, course.id, staff.id, 'learner'))
    assert.equal(await owner(), null)
    assert.equal((await browser.get(path)).statusCode, 403)
    await forum.db.transaction().execute((write) => addMember(write, course.id, staff.id, 'assistant'))
    await take(old)
    assert.equal(await owner(), staff.id)
    assert.equal((await browser.post(`/courses/${course.slug}/leaving`)).statusCode, 303)
    assert.equal(await owner(), null)
  })

  test('a role taken away while the desk is open: 403, and what was typed is on the page', async () => {
    const { browser, old, staff, course, path } = await aDesk()
    await browser.get(path)
    await forum.db.transaction().execute((write) => addMember(write, course.id, staff.id, 'learner'))
    const fields = { act: 'answer', body: 'Typed for ten minutes.' }
    const refused = await browser.post(`/questions/${old.id}/desk`, fields)
    assert.equal(refused.statusCode, 403)
    assert.match(refused.body, /Typed for ten minutes\./)
  })

  test('snoozes until a day to come, and nothing else; the asker’s word wakes it', async () => {
    const { browser, old } = await aDesk()
    const snooze = async (until: string) =>
      (await browser.post(`/questions/${old.id}/snooze`, { until })).statusCode
    for (const until of ['2020-01-01', '2026-02-30', 'tomorrow', '9999-12-31', daysAhead(-1)])
      assert.equal(await snooze(until), 422, until)
    const refused = await browser.post(`/questions/${old.id}/snooze`, { until: '2020-01-01' })
    assert.match(
      refused.body,
      /Choose a date within the next year\.[\s\S]*name="until"[^>]*value="2020-01-01"/,
    )
    assert.equal(await snooze(daysAhead(3)), 303)
    assert.notEqual((await deskOf(old)).snoozed_until, null)
    assert.equal(await snooze(''), 303)
    assert.equal((await deskOf(old)).snoozed_until, null)
    await snooze(daysAhead(3))
    await anAnswer(forum.db, { question: old })
    await aReply(forum.db, { question: old, author: { id: old.authorId } })
    assert.equal((await deskOf(old)).snoozed_until, null)
  })

  test('answers right there: answer, answer and resolve, ask back', async () => {
    const { browser, old, young, asks, path } = await aDesk()
    const third = await asks('A third question', 1)
    const send = (question: MadeQuestion, act: string, body = 'It is in lecture one.') =>
      browser.post(`/questions/${question.id}/desk`, { act, body, back: `${path}?view=all` })
    const statusOf = async ({ id }: MadeQuestion) =>
      (await forum.db.selectFrom('questions').select('status').where('id', '=', id).executeTakeFirstOrThrow())
        .status
    const answered = await send(old, 'answer')
    assert.equal(answered.headers.location, `${path}?view=all`)
    assert.equal(await statusOf(old), 'unresolved')
    await send(young, 'resolve')
    assert.equal(await statusOf(young), 'resolved')
    await send(third, 'ask', 'Which version?')
    const replies = await forum.db
      .selectFrom('replies')
      .select('body')
      .where('question_id', '=', third.id)
      .execute()
    assert.deepEqual(replies, [{ body: 'Which version?' }])
    assert.deepEqual(await queue(browser, path), [])
  })

  test('a draft is one with that of the question’s page, and ends with the answer', async () => {
    const { browser, old, young, path } = await aDesk()
    const place = `/questions/${old.id}/answers`
    assert.match((await browser.get(`${path}?question=${old.id}`)).body, new RegExp(`data-place="${place}"`))
    for (const question of [old, young])
      await browser.post('/drafts', { place: `/questions/${question.id}/answers`, body: 'Half an answer' })
    await browser.post(`/questions/${old.id}/desk`, { act: 'resolve', body: 'A whole answer' })
    const { body } = await browser.get('/drafts')
    assert.doesNotMatch(body, /An old question/)
    assert.match(body, /A young question/)
  })

  test('a refused answer keeps what was typed, on the desk', async () => {
    const { browser, old } = await aDesk()
    const send = (fields: Record<string, string>) => browser.post(`/questions/${old.id}/desk`, fields)
    const long = await send({ act: 'ask', body: 'word '.repeat(2000) })
    assert.equal(long.statusCode, 422)
    assert.match(long.body, /word word/)
    assert.equal((await send({ act: 'answer', body: ' ' })).statusCode, 422)
    assert.equal((await send({ act: 'dance', body: 'x' })).statusCode, 422)
  })

  test('what is refused or filled in stays at its place of the queue, and names the address that shows it', async () => {
    const { browser, old, young, path } = await aDesk()
    const first = await browser.get(`${path}?view=all&lecture=1`)
    const kept = { view: 'all', lecture: 1, body: ' ', act: 'answer' }
    const refused = await browser.post(`/questions/${old.id}/desk`, kept)
    assert.equal(refused.statusCode, 422)
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

  test('saved answers are shared, filled in, edited and removed', async () => {
    const { browser, other, old, path } = await aDesk()
    const saved = `${path}/saved`
    const add = (fields: Record<string, string | number>) => browser.post(saved, fields)
    assert.equal(
      (await add({ title: 'See lecture', body: 'Hello {name}, see {lecture} {x}.' })).statusCode,
      303,
    )
    assert.equal((await add({ title: 'See lecture', body: 'Again.' })).statusCode, 422)
    assert.equal((await add({ title: '', body: '' })).statusCode, 422)
    const near = await add({ title: 'Near', body: 'Hello {Name}!' })
    assert.equal(near.statusCode, 422)
    assert.match(near.body, /{Name} isn’t a placeholder\. Did you mean {name}\?/)
    assert.equal((await add({ title: 'Near', body: 'Hello {Name}!', as_is: 1 })).statusCode, 303)
    const { id } = await forum.db
      .selectFrom('saved_answers')
      .select('id')
      .where('course_id', '=', old.courseId)
      .where('title', '=', 'See lecture')
      .executeTakeFirstOrThrow()
    const asker = await forum.db
      .selectFrom('people')
      .select('display_name')
      .where('id', '=', old.authorId)
      .executeTakeFirstOrThrow()
    const filled = await other.post(`/questions/${old.id}/desk`, { saved: id, body: 'Typed.' })
    assert.equal(filled.statusCode, 200)
    assert.match(filled.body, new RegExp(`Typed\\.\\s+Hello ${asker.display_name}, see 1 · One {x}\\.`))
    assert.equal((await add({ id, version: 1, title: 'See', body: 'Changed.' })).statusCode, 303)
    assert.equal((await add({ id, version: 1, title: 'See', body: 'Too late.' })).statusCode, 409)
    assert.match((await other.get(saved)).body, /Changed\./)
    assert.equal((await add({ id, remove: 1 })).statusCode, 303)
    assert.doesNotMatch((await other.get(saved)).body, /Changed\./)
  })

  test('a saved answer never tells classmates the name of somebody anonymous', async () => {
    const { browser, old, path } = await aDesk()
    await forum.db.updateTable('questions').set({ is_anonymous: true }).where('id', '=', old.id).execute()
    await browser.post(`${path}/saved`, { title: 'Hello', body: 'Hello {name}!' })
    const { id } = await forum.db
      .selectFrom('saved_answers')
      .select('id')
      .where('course_id', '=', old.courseId)
      .executeTakeFirstOrThrow()
    const filled = await browser.post(`/questions/${old.id}/desk`, { saved: id, body: '' })
    assert.match(filled.body, /Hello there!/)
  })

  test('a person with one desk is led there; with several, chooses', async () => {
    const { browser, staff, path } = await aDesk()
    assert.equal((await browser.get('/desk')).headers.location, path)
    const second = await aCourse(forum.db, { title: 'Second course' })
    await forum.db.transaction().execute((write) => addMember(write, second.id, staff.id, 'instructor'))
    const { body, statusCode } = await browser.get('/desk')
    assert.equal(statusCode, 200)
    assert.match(body, /2 wait/)
    assert.match(body, /Second course/)
    const learner = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await learner.get('/desk')).statusCode, 200)
    assert.equal((await learner.get(path)).statusCode, 403)
  })
})
