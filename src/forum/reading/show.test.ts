import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
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
import { elementIn, textOf } from '../../testing/page.ts'
import { deleteAnswer, deleteQuestion, deleteReply } from '../../testing/posts.ts'
import { rowOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { setFollowing } from '../follows/following.ts'

/** Ids of the answers on a page, in its order. */
const answersOn = (html: string) => [...html.matchAll(/ id="answer-(\d+)"/g)].map((match) => Number(match[1]))

suite('the question page', () => {
  const forum = sharedForum()
  /** Of a question, for a person; for a visitor unless said. */
  const pageFor = async (question: MadeQuestion, person?: { readonly id: number }) => {
    const reader = person === undefined ? visitor(forum.app) : await signedIn(forum.app, person)
    return (await reader.get(questionPath(question))).body
  }

  test('the asker reads words for the asker, and others words for others', async () => {
    const { db } = forum
    const asker = await aPerson(db, { displayName: 'Mara' })
    const question = await aQuestion(db, { author: asker })
    await anAnswer(db, { question, author: asker })
    const page = async (person: { readonly id: number }) => textOf(await pageFor(question, person))

    const own = await page(asker)
    for (const part of ['Add details', 'Reply to your answer']) assert.ok(own.includes(part), part)
    assert.doesNotMatch(own, /Reply to Mara|A question of your own/)
    const others = await page(await aPerson(db))
    for (const part of ['Reply', 'Reply to Mara']) assert.ok(others.includes(part), part)

    assert.doesNotMatch(own, /follower/)
    await within(db, setFollowing, question.id, (await aPerson(db)).id, 'follow')
    assert.match(await page(asker), /One other follower/)
    assert.match(await page(await aPerson(db)), /One follower/)
  })

  test('says how many follow a question as long as no post there was anonymous: writing follows', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course, author: await aMember(db, course) })
    const page = async () => textOf(await pageFor(question))
    await anAnswer(db, { question })
    assert.match(await page(), /One follower/)
    const hidden = await anAnswer(db, { question, isAnonymous: true })
    assert.doesNotMatch(await page(), /follow/i, 'a visitor has no button either')
    await within(db, deleteAnswer, question.id, hidden.id)
    assert.doesNotMatch(await page(), /follows? this question/)
  })

  test('staff edit somebody else’s question under a title that does not call it theirs', async () => {
    const { app, db } = forum
    const [course, asker] = [await aCourse(db), await aPerson(db)]
    const question = await aQuestion(db, { course, author: asker })
    const form = async (person: { readonly id: number }) =>
      (await (await signedIn(app, person)).get(`/questions/${question.id}/edit`)).body

    assert.match(await form(asker), /<h1[^>]*>Edit your question</)
    const theirs = await form(await aMember(db, course, 'instructor'))
    assert.match(theirs, /<h1[^>]*>Edit question</)
    assert.doesNotMatch(theirs, /Edit your question/)
  })

  test('accepting is the asker’s filled button while the question is open and few answers are to choose from', async () => {
    const { db } = forum
    const [course, asker] = [await aCourse(db), await aPerson(db)]
    const question = await aQuestion(db, { course, author: asker })
    const [answer] = [await anAnswer(db, { question }), await anAnswer(db, { question })]
    const filledFor = async (person: { readonly id: number }) =>
      (await pageFor(question, person)).match(/<button class="button primary" name="value"/g)?.length ?? 0
    assert.equal(await filledFor(asker), 2)
    assert.equal(await filledFor(await aMember(db, course, 'instructor')), 0)
    for (const isAccepted of [true, false]) {
      await within(db, setAcceptance, question.id, answer.id, isAccepted)
      assert.equal(await filledFor(asker), isAccepted ? 0 : 2)
    }
    for (let more = 0; more < 2; more += 1) await anAnswer(db, { question })
    assert.equal(await filledFor(asker), 0)
  })

  test('it shows everything about the question', async () => {
    const { db } = forum
    const course = await aCourse(db, {
      ...{ field: 'Backend', timeZone: 'Asia/Seoul', lectures: ['Levels'], categories: ['Off topic'] },
    })
    const { id: categoryId } = await rowOf(db, 'categories', { course_id: course.id, slug: 'off-topic' })
    const author = await aPerson(db, { displayName: 'Mina' })
    const question = await aQuestion(db, {
      ...{ course, title: 'A title', tags: ['b-tag', 'a-tag'], lectureId: course.lectureIds[0] ?? 0 },
      ...{ author, categoryId, views: 1234, votes: 2, writtenAt: new Date('2026-11-21T14:05:06.789Z') },
    })
    const body = await pageFor(question)
    const text = textOf(body)
    for (const part of [
      ...['A title', 'Off topic', 'Backend', 'Unresolved', 'Lecture 1 · Levels', 'b-tag a-tag', 'Mina'],
      ...['1,234 views', '0 answers', '2 votes', course.title],
    ])
      assert.ok(text.includes(part), part)
    const time =
      '<time datetime="2026-11-21T14:05:06.789Z" title="2026.11.21 23:05 Asia/Seoul">2026.11.21 23:05</time>'
    assert.ok(body.includes(time))
    assert.match(body, /<a[^>]* href="\/people\/\d+\/mina\?course=[^"]+">/)
    assert.equal(body.match(/<h1/g)?.length, 1)
  })

  test('the default category is called "Questions & answers", in Korean too, also in the breadcrumb', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    assert.match(textOf(await pageFor(question)), /Questions & answers/)
    const korean = await visitor(app).get(questionPath(question), { 'accept-language': 'ko' })
    assert.match(korean.body, /<html lang="ko"/)
    assert.doesNotMatch(textOf(korean.body), /Questions & answers/)
    const crumbs = elementIn(korean.body, 'main').match(/<ol class="breadcrumb">[\s\S]*?<\/ol>/)?.[0] ?? ''
    assert.match(textOf(crumbs), /질문과 답변/)
  })

  test('answers come by votes, the oldest or the newest first, and the accepted one before all', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute))
    const old = await anAnswer(db, { question, writtenAt: at(1) })
    const voted = await anAnswer(db, { question, writtenAt: at(2), votes: 2 })
    const young = await anAnswer(db, { question, writtenAt: at(3) })
    const path = questionPath(question)
    const order = async (query = '') => answersOn((await visitor(app).get(`${path}${query}`)).body)

    assert.deepEqual(await order(), [voted.id, old.id, young.id])
    assert.deepEqual(await order('?answers=oldest'), [old.id, voted.id, young.id])
    assert.deepEqual(await order('?answers=newest'), [young.id, voted.id, old.id])
    assert.deepEqual(await order('?answers=wrong'), [voted.id, old.id, young.id])

    await within(db, setAcceptance, question.id, young.id, true)
    assert.deepEqual(await order(), [young.id, voted.id, old.id])
    assert.deepEqual(await order('?answers=oldest'), [young.id, old.id, voted.id])
    const body = await pageFor(question)
    assert.match(textOf(elementIn(body, `answer-${young.id}`)), /Accepted answer/)
    assert.doesNotMatch(textOf(elementIn(body, `answer-${old.id}`)), /Accepted answer/)
  })

  test('staff have their badge, the asker the marker, and replies stand under what they are about', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const instructor = await aMember(db, course, 'instructor')
    const answer = await anAnswer(db, { question, author: instructor })
    const assistant = await aMember(db, course, 'assistant')
    const asked = await aReply(db, { question, author: assistant, body: 'Which version?' })
    const thanks = await aReply(db, {
      ...{ answer, author: { id: question.authorId }, body: 'Thanks a lot.' },
      writtenAt: new Date('2026-11-21T23:05:00Z'),
    })
    const body = await pageFor(question)
    const answerText = textOf(elementIn(body, `answer-${answer.id}`))
    assert.match(answerText, /Instructor/)
    assert.match(answerText, /Thanks a lot\./)
    assert.doesNotMatch(answerText, /Which version\?/)
    const reply = elementIn(body, `reply-${thanks.id}`)
    assert.match(textOf(reply), /Asker 2026\.11\.21 /)
    assert.match(
      reply,
      /<time datetime="2026-11-21T23:05:00.000Z" title="2026\.11\.21 23:05 UTC">2026\.11\.21<\/time>/,
    )
    assert.match(textOf(elementIn(body, `reply-${asked.id}`)), /Assistant/)
    assert.doesNotMatch(textOf(elementIn(body, `reply-${asked.id}`)), /Asker|Instructor/)
  })

  test('times are in the viewer’s zone where they chose one', async () => {
    const { db } = forum
    const course = await aCourse(db, { timeZone: 'Asia/Seoul' })
    const writtenAt = new Date('2026-11-21T23:30:00Z')
    const question = await aQuestion(db, { course, writtenAt })
    await aReply(db, { question, writtenAt })
    const shown = async (options = {}) => pageFor(question, await aPerson(db, options))
    assert.match(await shown(), />2026\.11\.22 08:30<.*>2026\.11\.22</s)
    assert.match(await shown({ timeZone: 'America/New_York' }), />2026\.11\.21 18:30<.*>2026\.11\.21</s)
  })

  test('deleted answers and replies are not shown', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question, body: 'a bad answer' })
    const reply = await aReply(db, { question, body: 'a bad reply' })
    await within(db, deleteAnswer, question.id, answer.id)
    await within(db, deleteReply, question.id, reply.id)
    const text = textOf(await pageFor(question))
    assert.doesNotMatch(text, /a bad answer|a bad reply/)
    assert.match(text, /0 answers/)
  })

  test('a missing or wrong slug leads to the right one for good, and keeps the query', async () => {
    const { app, db } = forum
    const question = await aQuestion(db, { title: 'What is 하이퍼미디어 for?' })
    const path = `/questions/${question.id}/what-is-${encodeURIComponent('하이퍼미디어')}-for`
    assert.equal(questionPath(question), path)
    assert.equal((await visitor(app).get(path)).statusCode, 200)
    const wrong = ['', '/', '/wrong', '/what', '/What-Is-%ED%95%98', '/%00', '/).', '/what/is', '//what']
    const broken = ['/feed.atom/x', '/%', '/what-%EC%A', '/%ff', '/%ED%A0%80', '/wrong%ZZ/a']
    for (const asked of [...wrong, ...broken]) {
      const answer = await visitor(app).get(`/questions/${question.id}${asked}`)
      assert.deepEqual([answer.statusCode, answer.headers.location], [301, path], asked)
    }
    const withQuery = await visitor(app).get(`/questions/${question.id}?answers=oldest`)
    assert.equal(withQuery.headers.location, `${path}?answers=oldest`)
  })

  test('a question titled like the address of its edit form can be read by everybody', async () => {
    const question = await aQuestion(forum.db, { title: 'Edit!' })
    const { body } = await visitor(forum.app).get(questionPath(question))
    assert.match(textOf(body), /Edit!/)
  })

  test('a deleted question is gone, its answers stay readable', async () => {
    const { app, db } = forum
    const question = await aQuestion(db, { title: 'Taken away', body: 'the words of the question' })
    const answer = await anAnswer(db, { question, body: 'an answer worth keeping' })
    await within(db, deleteQuestion, question.id)
    for (const path of [questionPath(question), `/questions/${question.id}`]) {
      const page = await visitor(app).get(path)
      assert.equal(page.statusCode, 410)
      assert.match(textOf(elementIn(page.body, `answer-${answer.id}`)), /an answer worth keeping/)
      assert.doesNotMatch(page.body, /the words of the question|taken.away/i)
    }
  })
})
