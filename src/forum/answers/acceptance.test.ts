import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'

suite('accepting an answer and resolving a question', () => {
  const forum = sharedForum()
  const stateOf = async (question: MadeQuestion) => {
    const row = await forum.db
      .selectFrom('questions')
      .innerJoin('courses', 'courses.id', 'questions.course_id')
      .select(['status', 'accepted_answer_id', 'resolved_count'])
      .where('questions.id', '=', question.id)
      .executeTakeFirstOrThrow()
    return [row.status, row.accepted_answer_id, row.resolved_count]
  }

  test('accepting resolves, another acceptance moves, taking it back reopens', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const [one, other] = [await anAnswer(db, { question }), await anAnswer(db, { question })]
    const asker = await signedIn(app, question.authorId)
    const accept = async (answer: { id: number }, value: number) => {
      const accepted = await asker.post(`/answers/${answer.id}/acceptance`, { value })
      assert.equal(accepted.statusCode, 303)
      assert.ok(String(accepted.headers.location).endsWith(`#answer-${answer.id}`))
      return stateOf(question)
    }
    assert.deepEqual(await accept(one, 1), ['resolved', one.id, 1])
    assert.deepEqual(await accept(one, 1), ['resolved', one.id, 1])
    assert.deepEqual(await accept(other, 1), ['resolved', other.id, 1])
    assert.deepEqual(await accept(one, 0), ['resolved', other.id, 1], 'it was not the accepted one')
    assert.deepEqual(await accept(other, 0), ['unresolved', null, 0])
    assert.deepEqual(await recount(db), [])
  })

  test('resolving needs no answer; reopening takes the acceptance back', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const asker = await signedIn(app, question.authorId)
    const resolve = async (status: string) => {
      const answer = await asker.post(`/questions/${question.id}/resolution`, { status })
      assert.equal(answer.statusCode, 303)
      return stateOf(question)
    }
    assert.deepEqual(await resolve('resolved'), ['resolved', null, 1])
    assert.deepEqual(await resolve('resolved'), ['resolved', null, 1])
    assert.deepEqual(await resolve('unresolved'), ['unresolved', null, 0])
    const answer = await anAnswer(db, { question, isAccepted: true })
    assert.deepEqual(await resolve('resolved'), ['resolved', answer.id, 1], 'it stays accepted')
    assert.deepEqual(await resolve('unresolved'), ['unresolved', null, 0])
    for (const status of ['', 'open', 'RESOLVED']) {
      assert.equal((await asker.post(`/questions/${question.id}/resolution`, { status })).statusCode, 422)
    }
    assert.deepEqual(await recount(db), [])
  })

  test('the asker, staff and admins may; the answer’s author and other learners may not', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question })
    const assistant = await aMember(db, course, 'assistant')
    const allowed = [{ id: question.authorId }, assistant, await aPerson(db, { isAdmin: true })]
    const elsewhere = await aMember(db, await aCourse(db), 'instructor')
    const others = [{ id: answer.authorId }, await aMember(db, course), elsewhere]
    const acts = [
      [`/answers/${answer.id}/acceptance`, { value: 1 }],
      [`/questions/${question.id}/resolution`, { status: 'unresolved' }],
    ] as const
    for (const [people, status] of [
      [allowed, 303],
      [others, 403],
    ] as const) {
      for (const person of people) {
        const browser = await signedIn(app, person)
        for (const [path, fields] of acts) assert.equal((await browser.post(path, fields)).statusCode, status)
      }
    }
  })

  test('accepts of different answers at once leave one accepted and right counts', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const answers = [
      await anAnswer(db, { question }),
      await anAnswer(db, { question }),
      await anAnswer(db, { question }),
    ]
    const asker = await signedIn(app, question.authorId)
    const token = await asker.token()
    const acts = Array.from({ length: 30 }, (_, index) => {
      const id = answers[index % 3]?.id
      if (index % 5 === 4)
        return asker.post(`/questions/${question.id}/resolution`, { status: 'unresolved' }, { token })
      return asker.post(`/answers/${id}/acceptance`, { value: index % 2 }, { token })
    })
    for (const answer of await Promise.all(acts)) assert.equal(answer.statusCode, 303)
    const [status, acceptedId, resolved] = await stateOf(question)
    assert.equal(status === 'resolved', resolved === 1)
    if (acceptedId !== null) assert.equal(status, 'resolved')
    assert.deepEqual(await recount(db), [])
  })

  test('deleting the accepted answer opens the question again', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question, isAccepted: true })
    await anAnswer(db, { question })
    await within(db, deleteAnswer, question.id, answer.id)
    assert.deepEqual(await stateOf(question), ['unresolved', null, 0])
    assert.deepEqual(await recount(db), [])
  })

  test('an answer deleted while it is accepted is never the accepted one', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question })
    const [asker, author] = [await signedIn(app, question.authorId), await signedIn(app, answer.authorId)]
    const tokens = [await asker.token(), await author.token()] as const
    const [accepted, deleted] = await Promise.all([
      asker.post(`/answers/${answer.id}/acceptance`, { value: 1 }, { token: tokens[0] }),
      author.post(`/answers/${answer.id}/delete`, {}, { token: tokens[1] }),
    ])
    assert.ok([303, 410].includes(accepted.statusCode))
    assert.equal(deleted.statusCode, 303)
    assert.deepEqual(await stateOf(question), ['unresolved', null, 0])
    assert.deepEqual(await recount(db), [])
  })
})
