import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import type { Browser } from '../../testing/browser.ts'
import { aCourse, anAnswer, aQuestion, aReply, type MadeQuestion } from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { refreshStatistics } from '../search/statistics.ts'
import { answerOnDesk } from './answer.ts'
import { questionAssignment } from './assignment.ts'
import { claimQuestion, deskClaims } from './claims.ts'
import { aDesk, forumOfDesk } from './testing.ts'

const HOUR_MS = 3_600_000

suite('the question that is open on the desk', () => {
  const forum = forumOfDesk()

  /** Questions that have waited for so many hours. */
  async function aQueue(...hours: readonly number[]) {
    const desk = await aDesk(forum)
    const questions: MadeQuestion[] = []
    for (const [index, wait] of hours.entries()) questions.push(await desk.asks(wait, undefined, index % 2))
    return { ...desk, questions }
  }

  const opened = (body: string) => /class="desk-title"[^>]*>\s*<a[^>]*>([^<]*)</.exec(body)?.[1]
  const positionIn = (body: string) =>
    /data-part="desk-open">.*?<\/b>(?: · (\d+ of \d+))?/.exec(body)?.[1] ?? null
  const back = (body: string, action: string) =>
    new RegExp(`action="/questions/\\d+/${action}"[^>]*>.*?name="back" value="([^"]*)"`, 's')
      .exec(body)?.[1]
      ?.replaceAll('&amp;', '&') ?? assert.fail(action)
  const shown = async (browser: Browser, path: string) => opened((await browser.get(path)).body)

  test('says where it stands in its view, and of one lecture; nowhere in a view that nobody counts', async () => {
    const { browser, does, path, questions } = await aQueue(50, 40, 30, 20)
    const [first = assert.fail(), , third] = questions
    const at = async (query: string) => positionIn((await browser.get(`${path}?${query}`)).body)
    assert.equal(await at(''), '1 of 4')
    assert.equal(await at(`question=${third?.id}`), '3 of 4')
    assert.equal(await at(`question=${third?.id}&lecture=1`), '2 of 2')
    assert.equal(await at(`question=${third?.id}&view=all`), null)
    await does(questionAssignment, first, { assignee: 'me' })
    assert.equal(await at('view=mine'), '1 of 1')
    assert.equal(await at(`question=${third?.id}&view=mine`), null, 'it is not in that view')
  })

  test('an answer is posted however long the place is that a form names', async () => {
    const { browser, path, questions } = await aQueue(50)
    const sent = { act: 'stay', body: 'It is 201.', after: 'a'.repeat(20_000) }
    const response = await browser.post(`/questions/${questions[0]?.id}/desk`, sent)
    assert.deepEqual([response.statusCode, response.headers.location], [303, path])
  })

  test('stays open when it is taken or answered with “and stay”; else the next one is opened', async () => {
    const { browser, path, questions } = await aQueue(50, 40, 30)
    const [first, second, third] = questions
    const page = async () => (await browser.get(`${path}?question=${second?.id}`)).body
    assert.equal(await shown(browser, back(await page(), 'assignment')), second?.title)
    assert.equal(await shown(browser, back(await page(), 'snooze')), third?.title)
    const next = back(await page(), 'desk')
    const answer = (act: string) =>
      browser.post(`/questions/${second?.id}/desk`, { act, body: 'It is 201.', back: next })
    const stayed = (await answer('stay')).headers.location ?? ''
    assert.equal(await shown(browser, stayed), second?.title)
    const left = (await answer('answer')).headers.location ?? ''
    assert.equal(await shown(browser, left), third?.title)
    assert.equal(await shown(browser, path), first?.title)
    const last = (await browser.get(`${path}?question=${third?.id}`)).body
    assert.equal(await shown(browser, back(last, 'desk')), first?.title, 'the first follows the last')
  })

  test('is followed by none that a colleague has, also when they took it meanwhile', async () => {
    const { browser, colleague, does, path, questions } = await aQueue(50, 40, 30)
    const [first, second = assert.fail(), third] = questions
    const next = back((await browser.get(path)).body, 'desk')
    assert.match(next, new RegExp(`next=${second.id}`))
    await does(questionAssignment, second, { assignee: 'me' }, colleague)
    assert.match(back((await browser.get(path)).body, 'desk'), new RegExp(`next=${third?.id}`))
    assert.equal(await shown(browser, next), first?.title)
    for (const odd of ['x', '-1', '999999999', ''])
      assert.equal(await shown(browser, `${path}?next=${odd}`), first?.title)
  })

  test('is shown beside what was answered before about the same, with first lines, to link it in one step', async () => {
    const { db } = forum
    const { course, browser, path } = await aQueue()
    const title = 'Which status code tells that a resource was created?'
    const at = (hours: number) => new Date(Date.now() - hours * HOUR_MS)
    const about = { course, title, answers: 1 }
    const before = await aQuestion(db, { course, title, writtenAt: at(9) })
    await anAnswer(db, { question: before, body: 'A *teapot*.' })
    await anAnswer(db, { question: before, body: 'It is **201**, with its address.', isAccepted: true })
    await aQuestion(db, { course, title: `${title} Unanswered`, writtenAt: at(8) })
    await aQuestion(db, { ...about, title: 'How are tables migrated?', writtenAt: at(8) })
    await aQuestion(db, { ...about, audience: 'staff', writtenAt: at(8) })
    await aQuestion(db, { ...about, course: await aCourse(db), writtenAt: at(8) })
    const like = 'Which status code is it when a resource was created?'
    const question = await aQuestion(db, { course, title: like, writtenAt: at(7) })
    // As near, but asked later: more of them than a question's page shows.
    for (let later = 1; later <= 6; later += 1)
      await aQuestion(db, { ...about, title: like, writtenAt: at(7 - later / 2) })
    await refreshStatistics(db)
    const { body } = await browser.get(`${path}?question=${question.id}`)
    const offered = [...body.matchAll(/name="of" value="(\d+)"/g)].map((match) => Number(match[1]))
    assert.deepEqual(offered, [before.id])
    assert.match(body, /resource was created\?<\/a>\s*<p class="soft">It is 201, with its address\.<\/p>/)
    const link = { of: before.id, back: back(body, 'duplicate') }
    const linked = await browser.post(`/questions/${question.id}/duplicate`, link)
    assert.match(linked.headers.location ?? '', /\/desk/)
    const after = (await browser.get(`${path}?question=${question.id}`)).body
    assert.doesNotMatch(after, /name="of"|name="assignee"/, 'a duplicate is offered what it can be')
  })

  test('says that it is private, and to whom; its lecture, category and tags', async () => {
    const { db } = forum
    const { course, browser, path } = await aQueue()
    const lectureId = course.lectureIds[0] ?? 0
    const about = { course, lectureId, tags: ['dto'], title: 'My grade' }
    await aQuestion(db, { ...about, audience: 'staff', writtenAt: new Date(Date.now() - HOUR_MS) })
    const opened = (await browser.get(path)).body.split('id="open"')[1] ?? ''
    const words = textOf(opened)
    assert.match(words, /My grade .*Questions & answers Lecture 1 · One/)
    assert.match(words, /Private .*Only the author and course staff can see this\. .* dto /)
    const open = await aQuestion(db, { ...about, title: 'Everyone’s' })
    const { body } = await browser.get(`${path}?question=${open.id}`)
    assert.doesNotMatch(body, /Only the author and course staff can see this/)
    assert.match(body, /class="tag" href="[^"]*dto/)
  })

  test('what has waited for longer than the course promises comes before all that has not', async () => {
    const { course, browser, path } = await aQueue(3, 30, 26, 1, 23)
    await setPromise(forum.db, course.id, 24)
    const { body } = await browser.get(path)
    const rows = (body.split('</ol>')[0] ?? '').split('class="desk-row"').slice(1)
    const areOverdue = rows.map((row) => row.includes('Overdue'))
    assert.deepEqual(areOverdue, [true, true, false, false, false])
    const next = await browser.follow(await browser.get(`${path}/next`))
    assert.match(next.body, /Waits for 30 hours/)
  })
})

suite('who is about to answer, and what was posted meanwhile', () => {
  const forum = forumOfDesk()

  async function aQuestionOnDesk() {
    const desk = await aDesk(forum)
    const question = await desk.asks(1, 'What is idempotent?')
    const claim = (by: Browser, value = 1) => by.post(`/questions/${question.id}/claim`, { value })
    return { ...desk, question, path: `${desk.path}?question=${question.id}`, claim }
  }

  test('is seen by colleagues alone, the first one counts, and it ends by leaving, posting or itself', async () => {
    const { browser, other, staff, colleague, path, claim, does, question } = await aQuestionOnDesk()
    const shows = async (by: Browser, name: string) =>
      (await by.get(path)).body.includes(`${name} is answering this question`)
    assert.equal((await claim(browser)).statusCode, 303)
    assert.equal(await shows(other, staff.displayName), true)
    assert.equal(await shows(browser, staff.displayName), false, 'not by oneself')
    await claim(other)
    assert.equal(await shows(browser, colleague.displayName), false, 'the first one lasts')
    await claim(other, 0)
    assert.equal(await shows(other, staff.displayName), true, 'nobody ends that of another')
    await claim(browser, 0)
    assert.equal(await shows(other, staff.displayName), false)

    await claim(browser)
    await does(answerOnDesk, question, { act: 'stay', body: 'It changes nothing twice.' })
    assert.equal(await shows(other, staff.displayName), false, 'posting ends it')

    await claim(browser)
    const late = sql`now() - interval '1 second'`
    await setRows(forum.db, 'desk_claims', { person_id: staff.id }, { claimed_until: late })
    assert.equal(await shows(other, staff.displayName), false)
    await claim(other)
    assert.equal(await shows(browser, colleague.displayName), true, 'an ended one can be taken')
    await sweepTable(forum.db, deskClaims)
    assert.equal(await shows(browser, colleague.displayName), true, 'a sweep leaves what lasts')
  })

  test('leads no one on to it', async () => {
    const { asks, browser, colleague, path } = await aQuestionOnDesk()
    const [second, third] = [await asks(0.5), await asks(0.2)]
    await claimQuestion(forum.db, second.id, colleague.id)
    const { body } = await browser.get(path)
    assert.match(body, new RegExp(`name="back" value="[^"]*next=${third.id}`))
  })

  test('a form that has not seen the newest post of somebody else asks once, and loses nothing', async () => {
    const { db } = forum
    const { browser, question, path, staff, colleague } = await aQuestionOnDesk()
    const seenIn = (body: string) =>
      /name="seen" value="(\d+\.\d+)"/.exec(body)?.[1] ?? assert.fail('no seen')
    const send = (seen: string, body: string) =>
      browser.post(`/questions/${question.id}/desk`, { act: 'resolve', body, seen })
    const before = seenIn((await browser.get(path)).body)
    await anAnswer(db, { question, author: staff, body: 'One’s own is no news.' })
    await anAnswer(db, { question, author: colleague, body: 'Twice is *once*.' })
    const asked = await send(before, 'It changes nothing twice.')
    assert.equal(asked.statusCode, 409)
    assert.match(asked.body, new RegExp(`newer answer\\.</b> ${colleague.displayName}: “Twice is once\\.”`))
    assert.match(asked.body, /It changes nothing twice\./)
    assert.match(asked.body, /name="act" value="resolve">Post anyway/)
    assert.equal((await rowsOf(db, 'answers', { question_id: question.id })).length, 2)
    await aReply(db, { question, author: { id: question.authorId }, body: 'Thanks, solved.' })
    const again = await send(seenIn(asked.body), 'It changes nothing twice.')
    assert.equal(again.statusCode, 409)
    assert.match(again.body, /newer reply/)
    assert.equal((await send(seenIn(again.body), 'It changes nothing twice.')).statusCode, 303)
    const answers = await rowsOf(db, 'answers', { question_id: question.id })
    assert.equal(answers.at(-1)?.body, 'It changes nothing twice.')
    assert.equal((await send('x', 'Without it nothing is compared.')).statusCode, 303)
  })
})
