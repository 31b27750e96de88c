import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf } from '../../testing/page.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { questionPath } from '../../web/paths.ts'
import type { PostTable } from '../posts/kinds.ts'
import { REMOVALS } from '../posts/removal.ts'
import { postsOfEachKind } from '../posts/testing.ts'

suite('restoring what was deleted', () => {
  const forum = sharedForum()
  const find = (title: string) => visitor(forum.app).get(`/search?q=${encodeURIComponent(title)}`)
  const questionOf = (id: number) => rowOf(forum.db, 'questions', id)
  const deletedLongAgo = (table: PostTable, id: number) =>
    setRows(forum.db, table, id, { deleted_at: sql`now() - interval '61 minutes'` })
  const removals = (of: PostTable, act: 'deletion' | 'restoration', key: number, actor: { id: number }) =>
    refusalOf(forum, REMOVALS[of][act], { actor, key })

  test('a question comes back with its tags, counts and place in the search, by the button beside the message', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { lectures: ['One'] })
    const author = await aMember(db, course)
    const [lectureId = 0] = course.lectureIds
    const wishes = { lectureId, title: 'Returning zyxreturn', tags: ['http', 'put'], answers: 1 }
    const question = await aQuestion(db, { course, author, ...wishes, status: 'resolved' })
    const browser = await signedIn(app, author)
    const list = await browser.follow(await browser.post(`/questions/${question.id}/delete`))
    assert.match(list.body, new RegExp(`action="/questions/${question.id}/restoration"`))
    assert.doesNotMatch(textOf((await find('zyxreturn')).body), /Returning/)
    const restored = await browser.post(`/questions/${question.id}/restoration`)
    assert.equal(restored.headers.location, questionPath(question))
    const page = await browser.follow(restored)
    assert.match(textOf(page.body), /Question restored\..*Returning zyxreturn/)
    assert.match(textOf((await find('zyxreturn')).body), /Returning/)
    const back = { status: 'resolved', accepted_answer_id: null, deleted_at: null, deleted_by: null }
    assert.partialDeepStrictEqual(await questionOf(question.id), back)
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
    assert.match(textOf(page.body), /Answer deleted\..* 0 answers /)
    assert.equal((await questionOf(question.id)).status, 'unresolved')
    const restored = await author.post(`/answers/${answer.id}/restoration`)
    assert.equal(restored.headers.location, `${questionPath(question)}#answer-${answer.id}`)
    const shown = elementIn((await author.follow(restored)).body, `answer-${answer.id}`)
    assert.match(textOf(shown), /Accepted answer.*Thanks for zyxacceptance/)
    assert.match(textOf((await find('zyxacceptance')).body), /1/)

    const own = { id: answer.authorId }
    await removals('answers', 'deletion', answer.id, own)
    const better = await anAnswer(db, { question, isAccepted: true })
    assert.equal(await removals('answers', 'restoration', answer.id, own), 'done')
    assert.equal((await questionOf(question.id)).accepted_answer_id, better.id)
    assert.deepEqual(await recount(db), [])
  })

  test('an accepted answer and its question come back in any order; without the answer it is unresolved', async () => {
    const orders = [['answers', 'questions'] as const, ['questions', 'answers'] as const]
    const admin = await aPerson(forum.db, { isAdmin: true })
    for (const [removed, restored] of orders.flatMap((one) => orders.map((other) => [one, other] as const))) {
      const answer = await anAnswer(forum.db, { isAccepted: true })
      const ids = { answers: answer.id, questions: answer.question.id }
      for (const table of removed) await removals(table, 'deletion', ids[table], admin)
      for (const [index, table] of restored.entries()) {
        assert.equal(await removals(table, 'restoration', ids[table], admin), 'done')
        const { status, accepted_answer_id } = await questionOf(ids.questions)
        const state = index === 1 ? ['resolved', answer.id] : ['unresolved', null]
        if (index === 1 || table === 'questions') assert.deepEqual([status, accepted_answer_id], state)
      }
      assert.deepEqual(await recount(forum.db), [])
    }
  })

  test('its author restores what they deleted for an hour, and never what staff deleted', async () => {
    const { author, staff, posts } = await postsOfEachKind(forum)
    for (const { table, key } of posts.toReversed()) {
      for (const [act, by, outcome] of [
        ['deletion', author, 'done'],
        ['restoration', author, 'done'],
        ['restoration', author, 'done'],
        ['deletion', staff, 'done'],
        ['restoration', author, 'forbidden'],
        ['restoration', staff, 'done'],
        ['deletion', author, 'done'],
      ] as const)
        assert.equal(await removals(table, act, key, by), outcome)
      await deletedLongAgo(table, key)
      assert.equal(await removals(table, 'restoration', key, author), 'forbidden')
      assert.equal(await removals(table, 'restoration', key, staff), 'done')
    }
    assert.deepEqual(await recount(forum.db), [])
  })

  test('pages show those who may restore a post the button, and nobody else what it said', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question, body: 'Words zyxgone.' })
    const instructor = await aMember(db, course, 'instructor')
    const [author, staff] = [await signedIn(app, answer.authorId), await signedIn(app, instructor)]
    await removals('answers', 'deletion', answer.id, { id: answer.authorId })
    const button = new RegExp(`action="/answers/${answer.id}/restoration"`)
    for (const browser of [author, staff]) {
      assert.match((await browser.get(questionPath(question))).body, button)
      const permalink = await browser.get(`/answers/${answer.id}`)
      assert.equal(permalink.statusCode, 410)
      assert.match(permalink.body, button)
    }
    for (const browser of [visitor(app), await signedIn(app, await aPerson(db))])
      assert.doesNotMatch((await browser.get(questionPath(question))).body, /restoration|zyxgone/)
    await deletedLongAgo('answers', answer.id)
    assert.doesNotMatch((await author.get(questionPath(question))).body, button)
    await removals('questions', 'deletion', question.id, instructor)
    const gone = await staff.get(questionPath(question))
    assert.equal(gone.statusCode, 410)
    assert.match(gone.body, new RegExp(`action="/questions/${question.id}/restoration"`))
    const asker = await (await signedIn(app, question.authorId)).get(questionPath(question))
    assert.doesNotMatch(asker.body, new RegExp(`/questions/${question.id}/restoration`))
  })

  test('deleting and restoring many times at once leaves right counts', async () => {
    const { db } = forum
    const question = await aQuestion(db, { tags: ['http'], answers: 1 })
    const answer = await anAnswer(db, { question, isAccepted: true })
    const admin = await aPerson(db, { isAdmin: true })
    const acts = Array.from({ length: 3 }, () =>
      (['deletion', 'restoration'] as const).flatMap((act) => [
        removals('questions', act, question.id, admin),
        removals('answers', act, answer.id, admin),
      ]),
    ).flat()
    for (const outcome of await Promise.all(acts)) assert.ok(['done', 'gone'].includes(outcome), outcome)
    assert.deepEqual(await recount(db), [])
  })
})
