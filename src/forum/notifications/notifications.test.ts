import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum, sharedForumThatHears } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { setFollowing } from '../follows/following.ts'

const bellOf = (html: string) =>
  /data-behaviour="bell"[\s\S]*?<span class="visually-hidden">([^<]*)</.exec(html)?.[1]
const openingOf = (html: string) => /action="(\/notifications\/\d+\/opening)"/.exec(html)?.[1] ?? ''

suite('notifications', () => {
  const forum = sharedForum()
  const shown = async (person: { readonly id: number }) =>
    (await (await signedIn(forum.app, person)).get('/notifications')).body

  test('say who did what to which question, unseen first, and lead there by a link, and a button that marks them', async () => {
    const { app, db } = forum
    const [asker, mara] = [await aPerson(db), await aPerson(db, { displayName: 'Mara' })]
    const question = await aQuestion(db, { author: asker, title: 'May I leave the links out?' })
    const answer = await anAnswer(db, { question, author: mara, body: 'Leave the **door** open.' })
    await anAnswer(db, { question })
    const page = await shown(asker)
    assert.match(
      textOf(page),
      /New: Mara and one other answered: May I leave the links out\? Leave the door open\./,
    )
    assert.equal(bellOf(page), 'One new notification')

    const place = `${questionPath(question)}#answer-${answer.id}`
    assert.ok(page.includes(`<a class="cover" href="${place}">`))
    const reader = await signedIn(app, asker)
    assert.equal((await reader.get(openingOf(page))).statusCode, 404, 'a GET opens nothing')
    assert.equal((await reader.post(openingOf(page))).headers.location, place)
    const seen = await shown(asker)
    assert.equal(bellOf(seen), 'Notifications')
    assert.match(textOf(seen), /Earlier MA Mara and one other answered/)
    const stranger = await signedIn(app, await aPerson(db))
    assert.equal((await stranger.post(openingOf(page))).statusCode, 404)
  })

  test('count whom their reader can tell apart, so that no number tells whose an anonymous post is', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [asker, mara] = [await aMember(db, course), await aPerson(db, { displayName: 'Mara' })]
    const staff = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course, author: asker, title: 'Verbs' })
    await anAnswer(db, { question, author: mara })
    for (const body of ['Hidden.', 'Hidden, too.'])
      await anAnswer(db, { question, author: mara, body, isAnonymous: true })
    assert.match(textOf(await shown(asker)), /Mara and one other answered: Verbs/)
    assert.doesNotMatch(textOf(await shown(staff)), /one other/)
  })

  test('go with what they tell of: deleted posts, deleted questions, courses that are closed', async () => {
    const { db } = forum
    const [asker, course] = [await aPerson(db), await aCourse(db)]
    const [one, other] = [await aQuestion(db, { author: asker }), await aQuestion(db, { author: asker })]
    const answer = await anAnswer(db, { question: one })
    await anAnswer(db, { question: other })
    await anAnswer(db, { question: await aQuestion(db, { course, author: asker }) })
    const bell = async () => bellOf(await shown(asker))
    assert.equal(await bell(), '3 new notifications')
    await setRows(db, 'courses', course.id, { is_public: false })
    await db.deleteFrom('course_members').where('course_id', '=', course.id).execute()
    assert.equal(await bell(), '2 new notifications')
    await within(db, deleteAnswer, one.id, answer.id)
    assert.equal(await bell(), 'One new notification')
    await within(db, deleteQuestion, other.id)
    assert.equal(await bell(), 'Notifications')
    assert.match(textOf(await shown(asker)), /No notifications yet/)
  })
})

suite('what is new', () => {
  const forum = sharedForumThatHears()
  async function aThread() {
    const { app, db } = forum
    const course = await aCourse(db)
    const [asker, member] = [await aMember(db, course), await aMember(db, course)]
    const question = await aQuestion(db, { course, author: asker })
    const reader = await signedIn(app, member)
    const list = async () => (await reader.get(`/courses/${course.slug}`)).body
    const page = async (by = reader) => (await by.get(questionPath(question))).body
    const read = async (html: string, by = reader) => {
      const until = /name="until" value="(\d+)"/.exec(html)?.[1] ?? ''
      assert.equal((await by.post(`/questions/${question.id}/reading`, { until })).statusCode, 303)
    }
    return { question, asker, member, reader, list, page, read }
  }
  const marksIn = (html: string) => html.match(/<span class="pill fresh">New</g)?.length ?? 0

  test('since one read a question is marked in lists and on its page, in pages that others share', async () => {
    const { db, changes } = forum
    const { question, list, page, read } = await aThread()
    const answer = await anAnswer(db, { question })
    await changes.caughtUp()
    assert.doesNotMatch(await list(), /question-row unread/, 'nothing was read yet: nothing is new')
    await read(await page())
    assert.doesNotMatch(await list(), /question-row unread/)

    await aReply(db, { answer })
    await changes.caughtUp()
    for (let time = 0; time < 2; time += 1) {
      assert.match(await list(), /question-row unread/)
      assert.match(textOf(await page()), /One new post since your last visit/)
      assert.equal(marksIn(await page()), 1)
    }
    await read(await page())
    assert.doesNotMatch(await list(), /question-row unread/)
    assert.doesNotMatch(textOf(await page()), /new post/)
  })

  test('marks none of the answers that the asker comes back to first, and those that come later', async () => {
    const { app, db, changes } = forum
    const { question, asker, page, read } = await aThread()
    const own = await signedIn(app, asker)
    await read(await page(own), own)
    for (let answered = 0; answered < 3; answered += 1) await anAnswer(db, { question })
    await changes.caughtUp()
    const first = await page(own)
    assert.match(textOf(first), /3 new posts since your last visit/)
    assert.equal(marksIn(first), 0)
    await read(first, own)
    await anAnswer(db, { question })
    await changes.caughtUp()
    assert.equal(marksIn(await page(own)), 1)
  })

  test('after the page was rendered stays unseen when the page says that it was read', async () => {
    const { db, changes } = forum
    const { question, member, page, read } = await aThread()
    const html = await page()
    await within(db, setFollowing, question.id, member.id, 'follow')
    await anAnswer(db, { question })
    await changes.caughtUp()
    await read(html)
    assert.equal(bellOf(await page()), 'One new notification')
    await read(await page())
    assert.equal(bellOf(await page()), 'Notifications')
  })

  test('is not read by a GET, nor by a moment that is none', async () => {
    const { db } = forum
    const { question, member, reader, page } = await aThread()
    await page()
    assert.deepEqual(await rowsOf(db, 'question_reads', { person_id: member.id }), [])
    for (const until of ['9'.repeat(13), '9'.repeat(40), '-1', 'x'])
      assert.equal((await reader.post(`/questions/${question.id}/reading`, { until })).statusCode, 303)
    for (const { read_at } of await rowsOf(db, 'question_reads', { person_id: member.id }))
      assert.ok(read_at.getTime() <= Date.now() + 1000)
  })

  test('is exact in cached pages, for each reader of the same page', async () => {
    const { app, db, changes } = forum
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
