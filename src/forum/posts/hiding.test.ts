import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { deleteAnswer, deleteQuestion, restoreAnswer, restoreQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import type { PostKey } from './kinds.ts'
import { hidePost, showPost } from './removal.ts'

suite('hiding posts', () => {
  const forum = sharedForum()
  const hide = (table: PostKey['table'], id: number) => within(forum.db, hidePost, { table, id })
  const show = (table: PostKey['table'], id: number) => within(forum.db, showPost, { table, id })
  const questionOf = (id: number) =>
    forum.db
      .selectFrom('questions')
      .select(['status', 'accepted_answer_id', 'answers_count', 'is_listed'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const countsOf = async (course: { id: number }) => {
    const counts = await forum.db
      .selectFrom('courses')
      .select(['questions_count', 'resolved_count', 'unanswered_count'])
      .where('id', '=', course.id)
      .executeTakeFirstOrThrow()
    return Object.values(counts)
  }

  test('a hidden question is counted nowhere until it is shown again', async () => {
    const { db } = forum
    const course = await aCourse(db, { lectures: ['One'] })
    const author = await aMember(db, course)
    const [lectureId = 0] = course.lectureIds
    const question = await aQuestion(db, { course, author, lectureId, tags: ['http'], answers: 1 })
    assert.deepEqual(await countsOf(course), [1, 0, 0])
    assert.equal(await hide('questions', question.id), true)
    assert.equal(await hide('questions', question.id), false)
    assert.equal((await questionOf(question.id)).is_listed, false)
    assert.deepEqual(await countsOf(course), [0, 0, 0])
    assert.deepEqual(await recount(db), [])
    assert.equal(await show('questions', question.id), true)
    assert.equal(await show('questions', question.id), false)
    assert.deepEqual(await countsOf(course), [1, 0, 0])
    assert.deepEqual(await recount(db), [])
  })

  test('a hidden accepted answer leaves its question unresolved; shown again it is accepted, unless another one is', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question, isAccepted: true })
    await hide('answers', answer.id)
    const without = { status: 'unresolved', accepted_answer_id: null, answers_count: 0, is_listed: true }
    assert.deepEqual(await questionOf(question.id), without)
    assert.deepEqual(await recount(db), [])
    await show('answers', answer.id)
    const accepted = { ...without, status: 'resolved', accepted_answer_id: answer.id, answers_count: 1 }
    assert.deepEqual(await questionOf(question.id), accepted)
    await hide('answers', answer.id)
    const better = await anAnswer(db, { question, isAccepted: true })
    await show('answers', answer.id)
    assert.equal((await questionOf(question.id)).accepted_answer_id, better.id)
    assert.deepEqual(await recount(db), [])
  })

  test('what is hidden and deleted comes back when neither holds any more', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question, isAccepted: true })
    await hide('answers', answer.id)
    await within(db, deleteAnswer, question.id, answer.id)
    await show('answers', answer.id)
    assert.equal((await questionOf(question.id)).accepted_answer_id, null)
    await hide('answers', answer.id)
    await within(db, restoreAnswer, question.id, answer.id)
    assert.equal((await questionOf(question.id)).answers_count, 0)
    await show('answers', answer.id)
    assert.equal((await questionOf(question.id)).accepted_answer_id, answer.id)
    assert.deepEqual(await recount(db), [])
  })

  test('a restored question whose accepted answer was hidden meanwhile is unresolved', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question, isAccepted: true })
    await within(db, deleteQuestion, question.id)
    await hide('answers', answer.id)
    await within(db, restoreQuestion, question.id)
    assert.equal((await questionOf(question.id)).status, 'unresolved')
    await show('answers', answer.id)
    assert.equal((await questionOf(question.id)).accepted_answer_id, answer.id)
    assert.deepEqual(await recount(db), [])
  })

  test('hidden answers and replies are no words of a turn at the desk', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course })
    const isWaiting = async () => {
      const desk = await db
        .selectFrom('question_desk')
        .select('waiting_since')
        .where('question_id', '=', question.id)
        .executeTakeFirstOrThrow()
      return desk.waiting_since !== null
    }
    const answer = await anAnswer(db, { question, author: staff })
    assert.equal(await isWaiting(), false)
    await hide('answers', answer.id)
    assert.equal(await isWaiting(), true)
    await show('answers', answer.id)
    const reply = await aReply(db, { answer, author: { id: question.authorId } })
    assert.equal(await isWaiting(), true)
    await hide('replies', reply.id)
    assert.equal(await isWaiting(), false)
    await hide('questions', question.id)
    await show('replies', reply.id)
    assert.equal(await isWaiting(), false)
    assert.deepEqual(await recount(db), [])
  })
})
