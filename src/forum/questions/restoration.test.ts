import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf } from '../../testing/page.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'

const press = (browser: Browser, path: string) => browser.post(path).then(({ statusCode }) => statusCode)

suite('restoring what was deleted', () => {
  const forum = sharedForum()
  const find = (title: string) => visitor(forum.app).get(`/search?q=${encodeURIComponent(title)}`)
  const questionOf = (id: number) =>
    forum.db.selectFrom('questions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  test('a question comes back with its tags, counts and place in the search, by the button beside the message', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { lectures: ['One'] })
    const author = await aMember(db, course)
    const [lectureId = 0] = course.lectureIds
    const wishes = {
      course,
      author,
      lectureId,
      title: 'Returning zyxreturn',
      tags: ['http', 'put'],
      answers: 1,
    }
    const question = await aQuestion(db, { ...wishes, status: 'resolved' })
    const browser = await signedIn(app, author)
    const list = await browser.follow(await browser.post(`/questions/${question.id}/delete`))
    assert.match(list.body, new RegExp(`action="/questions/${question.id}/restoration"`))
    assert.doesNotMatch(textOf((await find('zyxreturn')).body), /Returning/)
    const restored = await browser.post(`/questions/${question.id}/restoration`)
    assert.equal(restored.statusCode, 303)
    assert.equal(restored.headers.location, questionPath(question))
    const page = await browser.follow(restored)
    assert.equal(page.statusCode, 200)
    assert.match(textOf(page.body), /Question restored\..*Returning zyxreturn/)
    assert.match(textOf((await find('zyxreturn')).body), /Returning/)
    const { deleted_at, deleted_by, status } = await questionOf(question.id)
    assert.deepEqual(
      { deleted_at, deleted_by, status },
      { deleted_at: null, deleted_by: null, status: 'resolved' },
    )
    assert.deepEqual(await recount(db), [])
  })

  test('an accepted answer is accepted again, unless another one is by now', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question, isAccepted: true })
    await aReply(db, { answer, body: 'Thanks for zyxacceptance.' })
    const author = await signedIn(app, answer.authorId)
    const page = await author.follow(await author.post(`/answers/${answer.id}/delete`))
    assert.match(
      page.body,
      new RegExp(`class="note done"[\\s\\S]*action="/answers/${answer.id}/restoration"`),
    )
    assert.equal((await questionOf(question.id)).status, 'unresolved')
    const restored = await author.post(`/answers/${answer.id}/restoration`)
    assert.equal(restored.headers.location, `${questionPath(question)}#answer-${answer.id}`)
    const shown = elementIn((await author.follow(restored)).body, `answer-${answer.id}`)
    assert.match(textOf(shown), /Accepted answer.*Thanks for zyxacceptance/)
    assert.match(textOf((await find('zyxacceptance')).body), /1/)

    await press(author, `/answers/${answer.id}/delete`)
    const better = await anAnswer(db, { question, isAccepted: true })
    await press(author, `/answers/${answer.id}/restoration`)
    assert.equal((await questionOf(question.id)).accepted_answer_id, better.id)
    assert.deepEqual(await recount(db), [])
  })

  test('a question whose accepted answer was deleted meanwhile comes back unresolved', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question, isAccepted: true })
    const asker = await signedIn(app, question.authorId)
    await press(asker, `/questions/${question.id}/delete`)
    await within(db, deleteAnswer, question.id, answer.id, answer.authorId)
    await press(asker, `/questions/${question.id}/restoration`)
    const { status, accepted_answer_id } = await questionOf(question.id)
    assert.deepEqual({ status, accepted_answer_id }, { status: 'unresolved', accepted_answer_id: null })
    await press(await signedIn(app, answer.authorId), `/answers/${answer.id}/restoration`)
    assert.equal((await questionOf(question.id)).accepted_answer_id, answer.id)
    assert.deepEqual(await recount(db), [])
  })

  test('an answer and its question come back in either order, and count once', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const staff = await signedIn(app, await aMember(db, course, 'assistant'))
    for (const order of [0, 1]) {
      const answer = await anAnswer(db, { question: await aQuestion(db, { course }), isAccepted: true })
      const places = [`/answers/${answer.id}`, `/questions/${answer.question.id}`]
      for (const place of places) assert.equal(await press(staff, `${place}/delete`), 303)
      if (order === 1) places.reverse()
      for (const place of places) assert.equal(await press(staff, `${place}/restoration`), 303)
      assert.equal((await questionOf(answer.question.id)).accepted_answer_id, answer.id)
      assert.deepEqual(await recount(db), [])
    }
  })

  test('its author restores what they deleted for an hour, and never what staff deleted', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question })
    const reply = await aReply(db, { question, author: { id: answer.authorId } })
    const author = await signedIn(app, answer.authorId)
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    for (const [table, { id }] of [
      ['answers', answer],
      ['replies', reply],
    ] as const) {
      const place = `/${table}/${id}`
      await press(author, `${place}/delete`)
      assert.equal(await press(author, `${place}/restoration`), 303)
      assert.equal(await press(author, `${place}/restoration`), 303, 'pressed twice')
      await press(staff, `${place}/delete`)
      assert.equal(await press(author, `${place}/restoration`), 403)
      assert.equal(await press(await signedIn(app, await aPerson(db)), `${place}/restoration`), 403)
      assert.equal(await press(staff, `${place}/restoration`), 303)
      await press(author, `${place}/delete`)
      const past = { deleted_at: sql<Date>`now() - interval '61 minutes'` }
      await db.updateTable(table).set(past).where('id', '=', id).execute()
      assert.equal(await press(author, `${place}/restoration`), 403)
      assert.doesNotMatch((await author.get(questionPath(question))).body, new RegExp(`${place}/restoration`))
      assert.equal(await press(staff, `${place}/restoration`), 303)
    }
    assert.deepEqual(await recount(db), [])
  })

  test('pages show those who may restore a post the button, and nobody else what it said', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question, body: 'Words zyxgone.' })
    const [author, staff] = [
      await signedIn(app, answer.authorId),
      await signedIn(app, await aMember(db, course, 'instructor')),
    ]
    await press(author, `/answers/${answer.id}/delete`)
    await author.get('/')
    const button = new RegExp(`action="/answers/${answer.id}/restoration"`)
    for (const browser of [author, staff]) {
      assert.match((await browser.get(questionPath(question))).body, button)
      const permalink = await browser.get(`/answers/${answer.id}`)
      assert.equal(permalink.statusCode, 410)
      assert.match(permalink.body, button)
    }
    for (const browser of [visitor(app), await signedIn(app, await aPerson(db))]) {
      assert.doesNotMatch((await browser.get(questionPath(question))).body, /restoration|zyxgone/)
      assert.equal((await browser.get(`/answers/${answer.id}`)).statusCode, 410)
    }
    await press(staff, `/questions/${question.id}/delete`)
    const gone = await staff.get(questionPath(question))
    assert.equal(gone.statusCode, 410)
    assert.match(gone.body, new RegExp(`action="/questions/${question.id}/restoration"`))
    const asker = await (await signedIn(app, question.authorId)).get(questionPath(question))
    assert.doesNotMatch(asker.body, new RegExp(`/questions/${question.id}/restoration`))
  })

  test('deleting and restoring many times at once leaves right counts', async () => {
    const { app, db } = forum
    const question = await aQuestion(db, { tags: ['http'], answers: 1 })
    const answer = await anAnswer(db, { question, isAccepted: true })
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const token = await admin.token()
    const acts = Array.from({ length: 3 }, () =>
      [`/questions/${question.id}`, `/answers/${answer.id}`].flatMap((place) =>
        ['delete', 'restoration'].map((act) => admin.post(`${place}/${act}`, {}, { token })),
      ),
    ).flat()
    for (const { statusCode } of await Promise.all(acts))
      assert.ok([303, 410].includes(statusCode), String(statusCode))
    assert.deepEqual(await recount(db), [])
  })
})
