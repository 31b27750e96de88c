import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp, testAppThatHears } from '../../testing/app.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'

const bellOf = (html: string) =>
  /data-behaviour="bell"[\s\S]*?<span class="visually-hidden">([^<]*)</.exec(html)?.[1]
const openingOf = (html: string) => /action="(\/notifications\/\d+\/opening)"/.exec(html)?.[1] ?? ''

suite('notifications', () => {
  test('say who did what to which question, unseen first, and lead there by a link, and a button that marks them', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const [asker, mara] = [await aPerson(db), await aPerson(db, { displayName: 'Mara' })]
    const question = await aQuestion(db, { author: asker, title: 'May I leave the links out?' })
    const answer = await anAnswer(db, { question, author: mara, body: 'Leave the **door** open.' })
    await anAnswer(db, { question })
    const reader = await signedIn(app, asker)
    const page = (await reader.get('/notifications')).body
    assert.match(
      textOf(page),
      /New: Mara and one other answered: May I leave the links out\? Leave the door open\./,
    )
    assert.equal(bellOf(page), 'One new notification')

    const link = new RegExp(`<a class="cover" href="${questionPath(question)}#answer-${answer.id}">`)
    assert.match(page, link)
    assert.equal((await reader.get(openingOf(page))).statusCode, 404, 'a GET opens nothing')
    const opened = await reader.post(openingOf(page))
    assert.equal(opened.headers.location, `${questionPath(question)}#answer-${answer.id}`)
    assert.equal(bellOf((await reader.get('/notifications')).body), 'Notifications')
    assert.match(textOf((await reader.get('/notifications')).body), /Earlier MA Mara and one other answered/)
    const stranger = await signedIn(app, await aPerson(db))
    assert.equal((await stranger.post(openingOf(page))).statusCode, 404)
  })

  test('count whom their reader can tell apart, so that no number tells whose an anonymous post is', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const course = await aCourse(db)
    const [asker, mara] = [await aMember(db, course), await aPerson(db, { displayName: 'Mara' })]
    const staff = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course, author: asker, title: 'Verbs' })
    await anAnswer(db, { question, author: mara })
    for (const body of ['Hidden.', 'Hidden, too.'])
      await anAnswer(db, { question, author: mara, body, isAnonymous: true })
    const told = async (person: { readonly id: number }) =>
      textOf((await (await signedIn(app, person)).get('/notifications')).body)
    assert.match(await told(asker), /Mara and one other answered: Verbs/)
    assert.doesNotMatch(await told(staff), /one other/)
  })

  test('go with what they tell of: deleted posts, deleted questions, courses that are closed', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const course = await aCourse(db)
    const asker = await aPerson(db)
    const [one, other] = [
      await aQuestion(db, { course, author: asker }),
      await aQuestion(db, { course, author: asker }),
    ]
    const answer = await anAnswer(db, { question: one })
    await anAnswer(db, { question: other })
    const reader = await signedIn(app, asker)
    const bell = async () => bellOf((await reader.get('/notifications')).body)
    assert.equal(await bell(), '2 new notifications')
    await within(db, deleteAnswer, one.id, answer.id)
    assert.equal(await bell(), 'One new notification')
    await within(db, deleteQuestion, other.id)
    assert.equal(await bell(), 'Notifications')
    assert.match(textOf((await reader.get('/notifications')).body), /No notifications yet/)
  })

  test('are exact in cached pages, for each reader of the same page', async (t) => {
    const db = await testDatabase(t)
    const { app, changes } = await testAppThatHears(t, db)
    const course = await aCourse(db)
    const asker = await aPerson(db)
    const question = await aQuestion(db, { course, author: asker })
    const [one, other] = [await signedIn(app, asker), await signedIn(app, await aMember(db, course))]
    const path = `/courses/${course.slug}`
    const bells = async () => [bellOf((await one.get(path)).body), bellOf((await other.get(path)).body)]
    await changes.caughtUp()
    for (let time = 0; time < 3; time += 1)
      assert.deepEqual(await bells(), ['Notifications', 'Notifications'])
    await anAnswer(db, { question })
    await changes.caughtUp()
    assert.deepEqual(await bells(), ['One new notification', 'Notifications'])
    assert.ok(app.pageCache !== null && app.pageCache.members.cache.size > 0)
    await one.post('/notifications/seen')
    assert.deepEqual(await bells(), ['Notifications', 'Notifications'])
  })
})

suite('what is new', () => {
  async function aThread(t: Parameters<typeof testDatabase>[0]) {
    const db = await testDatabase(t)
    const { app, changes } = await testAppThatHears(t, db)
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question })
    const reader = await signedIn(app, await aMember(db, course))
    const list = async () => (await reader.get(`/courses/${course.slug}`)).body
    const page = async () => (await reader.get(questionPath(question))).body
    return { db, changes, question, answer, reader, list, page }
  }
  const read = async (reader: Browser, html: string, id: number) => {
    const until = /name="until" value="(\d+)"/.exec(html)?.[1] ?? ''
    assert.equal((await reader.post(`/questions/${id}/reading`, { until })).statusCode, 303)
  }

  test('since one read a question is marked in lists and on its page, in pages that others share', async (t) => {
    const { db, changes, question, answer, reader, list, page } = await aThread(t)
    assert.doesNotMatch(await list(), /question-row unread/, 'nothing was read yet: nothing is new')
    await read(reader, await page(), question.id)
    assert.doesNotMatch(await list(), /question-row unread/)

    await aReply(db, { answer })
    await changes.caughtUp()
    for (let time = 0; time < 2; time += 1) {
      assert.match(await list(), /question-row unread/)
      assert.match(textOf(await page()), /One new post since your last visit/)
      assert.equal((await page()).match(/<span class="pill fresh">New</g)?.length, 1)
    }
    await read(reader, await page(), question.id)
    assert.doesNotMatch(await list(), /question-row unread/)
    assert.doesNotMatch(textOf(await page()), /new post/)
  })

  test('marks none of the answers that the asker comes back to first, and those that come later', async (t) => {
    const db = await testDatabase(t)
    const { app, changes } = await testAppThatHears(t, db)
    const course = await aCourse(db)
    const author = await aMember(db, course)
    const asker = await signedIn(app, author)
    const question = await aQuestion(db, { course, author })
    const path = questionPath(question)
    await read(asker, (await asker.get(path)).body, question.id)
    for (let answered = 0; answered < 3; answered += 1) await anAnswer(db, { question })
    await changes.caughtUp()
    const marks = (html: string) => html.match(/<span class="pill fresh">New</g)?.length ?? 0
    const first = await asker.get(path)
    assert.match(textOf(first.body), /3 new posts since your last visit/)
    assert.equal(marks(first.body), 0)
    await read(asker, first.body, question.id)
    await anAnswer(db, { question })
    await changes.caughtUp()
    assert.equal(marks((await asker.get(path)).body), 1)
  })

  test('after the page was rendered stays unseen when the page says that it was read', async (t) => {
    const { db, changes, question, reader, page } = await aThread(t)
    const html = await page()
    await reader.post(`/questions/${question.id}/following`, { value: 1 })
    await anAnswer(db, { question })
    await changes.caughtUp()
    await read(reader, html, question.id)
    assert.equal(bellOf(await page()), 'One new notification')
    await read(reader, await page(), question.id)
    assert.equal(bellOf(await page()), 'Notifications')
  })

  test('is not read by a GET, nor by a moment that is none', async (t) => {
    const { db, question, reader, page } = await aThread(t)
    await page()
    assert.deepEqual(
      await db.selectFrom('question_reads').select('person_id').where('person_id', '=', 0).execute(),
      [],
    )
    for (const until of ['9'.repeat(13), '9'.repeat(40), '-1', 'x'])
      assert.equal((await reader.post(`/questions/${question.id}/reading`, { until })).statusCode, 303)
    const { rows } = { rows: await db.selectFrom('question_reads').select('read_at').execute() }
    for (const { read_at } of rows) assert.ok(read_at.getTime() <= Date.now() + 1000)
  })
})
