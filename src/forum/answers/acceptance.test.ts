import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { anAnswer, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowOf } from '../../testing/rows.ts'
import { REMOVALS } from '../posts/removal.ts'
import { questionResolution } from '../posts/resolution.ts'
import { answerAcceptance } from './acceptance.ts'

suite('accepting an answer and resolving a question', () => {
  const forum = sharedForum()
  const stateOf = async (question: MadeQuestion) => {
    const { status, accepted_answer_id } = await rowOf(forum.db, 'questions', question.id)
    const { resolved_count } = await rowOf(forum.db, 'courses', question.courseId)
    return [status, accepted_answer_id, resolved_count]
  }
  const accept = ({ authorId }: MadeQuestion, { id }: { id: number }, value: boolean) =>
    act(forum, answerAcceptance, { actor: { id: authorId }, key: id, input: { value } })
  const resolve = ({ id, authorId }: MadeQuestion, status: string) =>
    act(forum, questionResolution, { actor: { id: authorId }, key: id, input: { status } })

  test('accepting resolves, another acceptance moves, taking it back reopens', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const [one, other] = [await anAnswer(db, { question }), await anAnswer(db, { question })]
    for (const [answer, value, state] of [
      [one, true, ['resolved', one.id, 1]],
      [one, true, ['resolved', one.id, 1]],
      [other, true, ['resolved', other.id, 1]],
      [one, false, ['resolved', other.id, 1]],
      [other, false, ['unresolved', null, 0]],
    ] as const) {
      await accept(question, answer, value)
      assert.deepEqual(await stateOf(question), state)
    }
    assert.deepEqual(await recount(db), [])
  })

  test('resolving needs no answer; reopening takes the acceptance back', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    for (const [status, state] of [
      ['resolved', ['resolved', null, 1]],
      ['resolved', ['resolved', null, 1]],
      ['unresolved', ['unresolved', null, 0]],
    ] as const) {
      await resolve(question, status)
      assert.deepEqual(await stateOf(question), state)
    }
    const answer = await anAnswer(db, { question, isAccepted: true })
    await resolve(question, 'resolved')
    assert.deepEqual(await stateOf(question), ['resolved', answer.id, 1], 'it stays accepted')
    await resolve(question, 'unresolved')
    assert.deepEqual(await stateOf(question), ['unresolved', null, 0])
    const wrong = ['', 'open', 'RESOLVED'].map((status) => [{ status }, 'status: forms.choice'] as const)
    await refuses(forum, questionResolution, { actor: { id: question.authorId }, key: question.id }, wrong)
    assert.deepEqual(await recount(db), [])
  })

  test('accepts of different answers at once leave one accepted and right counts', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const answers: { id: number }[] = []
    for (let count = 0; count < 3; count += 1) answers.push(await anAnswer(db, { question }))
    const acts = Array.from({ length: 30 }, (_, index) =>
      index % 5 === 4
        ? resolve(question, 'unresolved')
        : accept(question, answers[index % 3] ?? assert.fail(), index % 2 === 1),
    )
    await Promise.all(acts)
    const [status, acceptedId, resolved] = await stateOf(question)
    assert.equal(status === 'resolved', resolved === 1)
    if (acceptedId !== null) assert.equal(status, 'resolved')
    assert.deepEqual(await recount(db), [])
  })

  test('an answer deleted while it is accepted is never the accepted one', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const answer = await anAnswer(db, { question })
    const by = { actor: { id: question.authorId }, key: answer.id }
    const [accepted, deleted] = await Promise.all([
      refusalOf(forum, answerAcceptance, { ...by, input: { value: true } }),
      refusalOf(forum, REMOVALS.answers.deletion, { ...by, actor: { id: answer.authorId } }),
    ])
    assert.ok(['done', 'gone'].includes(accepted), accepted)
    assert.equal(deleted, 'done')
    assert.deepEqual(await stateOf(question), ['unresolved', null, 0])
    assert.deepEqual(await recount(db), [])
  })
})
