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
  /** What its question says of an answer that was accepted: its state, the accepted answer and how many there are. */
  const stateOf = async ({ id }: { id: number }) => {
    const { status, accepted_answer_id, answers_count } = await forum.db
      .selectFrom('questions')
      .select(['status', 'accepted_answer_id', 'answers_count'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return [status, accepted_answer_id, answers_count]
  }
  async function anAcceptedAnswer() {
    const question = await aQuestion(forum.db)
    const { id } = await anAnswer(forum.db, { question, isAccepted: true })
    return { question, id, without: ['unresolved', null, 0], accepted: ['resolved', id, 1] }
  }

  test('a hidden question is counted nowhere until it is shown again', async () => {
    const { db } = forum
    const course = await aCourse(db, { lectures: ['One'] })
    const author = await aMember(db, course)
    const [lectureId = 0] = course.lectureIds
    const { id } = await aQuestion(db, { course, author, lectureId, tags: ['http'], answers: 1 })
    const assertCounted = async (count: number) => {
      const counts = await db
        .selectFrom('courses')
        .innerJoin('questions', 'course_id', 'courses.id')
        .select(['is_listed', 'courses.questions_count', 'resolved_count', 'unanswered_count'])
        .where('courses.id', '=', course.id)
        .executeTakeFirstOrThrow()
      assert.deepEqual(Object.values(counts), [count === 1, count, 0, 0])
      assert.deepEqual(await recount(db), [])
    }
    await assertCounted(1)
    assert.deepEqual([await hide('questions', id), await hide('questions', id)], [true, false])
    await assertCounted(0)
    assert.deepEqual([await show('questions', id), await show('questions', id)], [true, false])
    await assertCounted(1)
  })

  test('a hidden accepted answer leaves its question unresolved; shown again it is accepted, unless another one is', async () => {
    const { question, id, without, accepted } = await anAcceptedAnswer()
    await hide('answers', id)
    assert.deepEqual(await stateOf(question), without)
    assert.deepEqual(await recount(forum.db), [])
    await show('answers', id)
    assert.deepEqual(await stateOf(question), accepted)
    await hide('answers', id)
    const better = await anAnswer(forum.db, { question, isAccepted: true })
    await show('answers', id)
    assert.deepEqual(await stateOf(question), ['resolved', better.id, 2])
    assert.deepEqual(await recount(forum.db), [])
  })

  test('what is hidden and deleted comes back when neither holds any more', async () => {
    const { question, id, without, accepted } = await anAcceptedAnswer()
    await hide('answers', id)
    await within(forum.db, deleteAnswer, question.id, id)
    await show('answers', id)
    assert.deepEqual(await stateOf(question), without)
    await hide('answers', id)
    await within(forum.db, restoreAnswer, question.id, id)
    assert.deepEqual(await stateOf(question), without)
    await show('answers', id)
    assert.deepEqual(await stateOf(question), accepted)
    assert.deepEqual(await recount(forum.db), [])
  })

  test('a restored question whose accepted answer was hidden meanwhile is unresolved', async () => {
    const { question, id, without, accepted } = await anAcceptedAnswer()
    await within(forum.db, deleteQuestion, question.id)
    await hide('answers', id)
    await within(forum.db, restoreQuestion, question.id)
    assert.deepEqual(await stateOf(question), without)
    await show('answers', id)
    assert.deepEqual(await stateOf(question), accepted)
    assert.deepEqual(await recount(forum.db), [])
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
