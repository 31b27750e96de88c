import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf } from '../../testing/page.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'

/** Ids of the answers on a page, in its order. */
const answersOn = (html: string) => [...html.matchAll(/ id="answer-(\d+)"/g)].map((match) => Number(match[1]))

suite('the question page', () => {
  const forum = sharedForum()

  test('the asker reads words for the asker, and others words for others', async () => {
    const { app, db } = forum
    const [course, asker] = [await aCourse(db), await aPerson(db, { displayName: 'Mara' })]
    const question = await aQuestion(db, { course, author: asker })
    await anAnswer(db, { question, author: asker })
    const page = async (person: { readonly id: number }) =>
      textOf((await (await signedIn(app, person)).get(questionPath(question))).body)

    const own = await page(asker)
    for (const part of ['Add details', 'Reply to your answer']) assert.ok(own.includes(part), part)
    assert.doesNotMatch(own, /Reply to Mara|A question of your own/)
    const others = await page(await aPerson(db))
    for (const part of ['Reply', 'Reply to Mara']) assert.ok(others.includes(part), part)

    assert.doesNotMatch(own, /follower/)
    const follower = await signedIn(app, await aPerson(db))
    await follower.post(`/questions/${question.id}/following`, { value: 1 })
    assert.match(await page(asker), /One other follower/)
    assert.match(await page(await aPerson(db)), /One follower/)
  })

  test('says how many follow a question as long as no post there was anonymous: writing follows', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course, author: await aMember(db, course) })
    const page = async () => textOf((await visitor(app).get(questionPath(question))).body)
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

  test('its breadcrumb names the category, in Korean too', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const { body } = await visitor(app).get(questionPath(question), { 'accept-language': 'ko' })
    const crumbs = elementIn(body, 'main').match(/<ol class="breadcrumb">[\s\S]*?<\/ol>/)?.[0] ?? ''
    assert.match(textOf(crumbs), /질문과 답변/)
  })

  test('accepting is the asker’s filled button while the question is open and few answers are to choose from', async () => {
    const { app, db } = forum
    const [course, asker] = [await aCourse(db), await aPerson(db)]
    const question = await aQuestion(db, { course, author: asker })
    const answers = [await anAnswer(db, { question }), await anAnswer(db, { question })]
    const filledFor = async (browser: Awaited<ReturnType<typeof signedIn>>) =>
      (await browser.get(questionPath(question))).body.match(/<button class="button primary" name="value"/g)
        ?.length ?? 0
    const own = await signedIn(app, asker)
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    assert.deepEqual([await filledFor(own), await filledFor(staff)], [2, 0])
    for (const value of [1, 0]) {
      await own.post(`/answers/${answers[0]?.id}/acceptance`, { value })
      assert.equal(await filledFor(own), value === 1 ? 0 : 2)
    }
    for (let more = 0; more < 2; more += 1) await anAnswer(db, { question })
    assert.equal(await filledFor(own), 0)
  })

  test('it shows everything about the question', async () => {
    const { app, db } = forum
    const course = await aCourse(db, {
      ...{ field: 'Backend', timeZone: 'Asia/Seoul', lectures: ['Levels'], categories: ['Off topic'] },
    })
    const category = await db
      .selectFrom('categories')
      .select('id')
      .where('slug', '=', 'off-topic')
      .executeTakeFirstOrThrow()
    const question = await aQuestion(db, {
      ...{ course, title: 'A title', tags: ['b-tag', 'a-tag'], lectureId: course.lectureIds[0] ?? 0 },
      ...{
        author: await aPerson(db, { displayName: 'Mina' }),
        categoryId: category.id,
        views: 1234,
        votes: 2,
      },
      writtenAt: new Date('2026-11-21T14:05:06.789Z'),
    })
    const { body } = await visitor(app).get(questionPath(question))
    const text = textOf(body)
    for (const part of [
      'A title',
      'Off topic',
      'Backend',
      'Unresolved',
      'Lecture 1 · Levels',
      '1,234 views',
      'b-tag a-tag',
      '0 answers',
      'Mina',
      '2 votes',
      course.title,
    ]) {
      assert.ok(text.includes(part), part)
    }
    const time =
      '<time datetime="2026-11-21T14:05:06.789Z" title="2026.11.21 23:05 Asia/Seoul">2026.11.21 23:05</time>'
    assert.ok(body.includes(time))
    assert.match(body, /<a[^>]* href="\/people\/\d+\/mina\?course=[^"]+">/)
    assert.equal(body.match(/<h1/g)?.length, 1)
  })

  test('the default category is called "Questions & answers", in Korean too', async () => {
    const { app, db } = forum
    const path = questionPath(await aQuestion(db))
    assert.match(textOf((await visitor(app).get(path)).body), /Questions & answers/)
    const korean = await visitor(app).get(path, { 'accept-language': 'ko' })
    assert.match(korean.body, /<html lang="ko"/)
    assert.doesNotMatch(textOf(korean.body), /Questions & answers/)
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

    const asker = await signedIn(app, question.authorId)
    await asker.post(`/answers/${young.id}/acceptance`, { value: 1 })
    assert.deepEqual(await order(), [young.id, voted.id, old.id])
    assert.deepEqual(await order('?answers=oldest'), [young.id, old.id, voted.id])
    const { body } = await visitor(app).get(path)
    assert.match(textOf(elementIn(body, `answer-${young.id}`)), /Accepted answer/)
    assert.doesNotMatch(textOf(elementIn(body, `answer-${old.id}`)), /Accepted answer/)
  })

  test('staff have their badge, the asker the marker, and replies stand under what they are about', async () => {
    const { app, db } = forum
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
    const { body } = await visitor(app).get(questionPath(question))

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
    const { app, db } = forum
    const course = await aCourse(db, { timeZone: 'Asia/Seoul' })
    const writtenAt = new Date('2026-11-21T23:30:00Z')
    const question = await aQuestion(db, { course, writtenAt })
    await aReply(db, { question, writtenAt })
    const shown = async (timeZone?: string) => {
      const viewer = await aPerson(db, timeZone === undefined ? {} : { timeZone })
      return (await (await signedIn(app, viewer)).get(questionPath(question))).body
    }
    assert.match(await shown(), />2026\.11\.22 08:30<.*>2026\.11\.22</s)
    assert.match(await shown('America/New_York'), />2026\.11\.21 18:30<.*>2026\.11\.21</s)
  })

  test('deleted answers and replies are not shown', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question, body: 'a bad answer' })
    const reply = await aReply(db, { question, body: 'a bad reply' })
    await (await signedIn(app, answer.authorId)).post(`/answers/${answer.id}/delete`)
    await (await signedIn(app, reply.authorId)).post(`/replies/${reply.id}/delete`)
    const text = textOf((await visitor(app).get(questionPath(question))).body)
    assert.doesNotMatch(text, /a bad answer|a bad reply/)
    assert.match(text, /0 answers/)
  })
})
