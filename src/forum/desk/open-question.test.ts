import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Browser } from '../../testing/browser.ts'
import { aCourse, anAnswer, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { refreshStatistics } from '../search/statistics.ts'
import { questionAssignment } from './assignment.ts'
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
    assert.equal(
      await shown(browser, back((await browser.get(`${path}?question=${third?.id}`)).body, 'desk')),
      first?.title,
      'the last is followed by the first',
    )
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
    const question = await aQuestion(db, {
      ...{ course, writtenAt: at(7) },
      title: 'Which status code is it when a resource was created?',
    })
    // As near, but asked later: more of them than a question's page shows.
    for (let later = 1; later <= 6; later += 1)
      await aQuestion(db, { ...about, title: question.title, writtenAt: at(7 - later / 2) })
    await refreshStatistics(db)
    const { body } = await browser.get(`${path}?question=${question.id}`)
    const offered = [...body.matchAll(/name="of" value="(\d+)"/g)].map((match) => Number(match[1]))
    assert.deepEqual(offered, [before.id])
    assert.match(body, /resource was created\?<\/a>\s*<p class="soft">It is 201, with its address\.<\/p>/)
    const linked = await browser.post(`/questions/${question.id}/duplicate`, {
      of: before.id,
      back: back(body, 'duplicate'),
    })
    assert.match(linked.headers.location ?? '', /\/desk/)
    const after = (await browser.get(`${path}?question=${question.id}`)).body
    assert.doesNotMatch(
      after,
      /name="of"|name="assignee"/,
      'a duplicate is offered nothing that it cannot be',
    )
  })

  test('says that it is private, and to whom; its lecture, category and tags', async () => {
    const { db } = forum
    const { course, browser, path } = await aQueue()
    const lectureId = course.lectureIds[0] ?? 0
    const about = { course, lectureId, tags: ['dto'], title: 'My grade' }
    await aQuestion(db, { ...about, audience: 'staff', writtenAt: new Date(Date.now() - HOUR_MS) })
    const opened = (await browser.get(path)).body.split('id="open"')[1] ?? ''
    const words = opened.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
    assert.match(words, /My grade .*Questions &amp; answers Lecture 1 · One/)
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
    const next = await browser.get(`${path}/next`)
    assert.equal(await browser.follow(next).then((page) => page.body.includes('Waits for 30 hours')), true)
  })
})
