import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { type Fields, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, valuesOf } from '../../testing/rows.ts'
import { questionPath } from '../../web/paths.ts'
import { postAnswer } from '../answers/operations.ts'
import { endMeasure } from '../cases/measures.ts'
import { caseOf, decided, inWrite, measuresOf, reported } from '../cases/testing.ts'
import { replyToQuestion } from '../replies/operations.ts'
import { questionClosing } from './closing.ts'

suite('closing a question to new answers', () => {
  const forum = sharedForum()

  async function aScene() {
    const { db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const learner = await aMember(db, course)
    const question = await aQuestion(db, { course })
    const close = (reason: string, duplicate: number | string = '') =>
      act(forum, questionClosing, {
        ...{ actor: staff, key: { id: question.id, duplicate: String(duplicate) } },
        input: { reason, duplicate: String(duplicate) },
      })
    const state = async () => {
      const row = await rowOf(db, 'questions', question.id)
      return [row.closing_reason, row.answers_closed_at !== null, row.closed_at !== null, row.duplicate_of]
    }
    const waits = async () =>
      (await rowOf(db, 'question_desk', { question_id: question.id })).waiting_since !== null
    const input = { body: 'Text.' }
    const writing = (actor: { readonly id: number }) => ({ actor, key: question.id, input })
    return { db, course, staff, learner, question, close, state, waits, writing }
  }

  test('staff go on answering, others reply unless it was heated; it waits for nobody until it is open again', async () => {
    const { staff, learner, close, state, waits, writing } = await aScene()
    assert.ok(await waits())
    for (const [reason, reply] of [
      ['off-topic', 'done'],
      ['unclear', 'done'],
      ['heated', 'closed'],
    ] as const) {
      await close(reason)
      assert.deepEqual(await state(), [reason, true, true, null])
      assert.ok(!(await waits()))
      assert.equal(await refusalOf(forum, postAnswer, writing(learner)), 'closed')
      assert.equal(await refusalOf(forum, replyToQuestion, writing(learner)), reply)
      assert.equal(await refusalOf(forum, replyToQuestion, writing(staff)), 'done')
    }
    assert.equal(await refusalOf(forum, postAnswer, writing(staff)), 'done')
    await close('')
    assert.deepEqual(await state(), [null, false, false, null])
    assert.equal(await refusalOf(forum, postAnswer, writing(learner)), 'done')
    assert.deepEqual(await recount(forum.db), [])
  })

  test('solved elsewhere asks where, links it, and unlinks it when it is open again', async () => {
    const { db, course, staff, question, close, state } = await aScene()
    const by = { actor: staff, key: { id: question.id, duplicate: '' } }
    const foreign = await aQuestion(db)
    const reason = 'solved-elsewhere'
    await refuses(forum, questionClosing, by, [
      ...['', 'somewhere', String(foreign.id)].map(
        (duplicate) => [{ reason, duplicate }, 'duplicate: desk.duplicate.unknown'] as const,
      ),
      [{ reason, duplicate: String(question.id) }, 'duplicate: desk.duplicate.itself'],
    ])
    assert.deepEqual(await state(), [null, false, false, null])
    const { question: original } = await anAnswer(db, { question: await aQuestion(db, { course }) })
    await close('solved-elsewhere', `#${original.id}`)
    assert.deepEqual(await state(), ['solved-elsewhere', true, true, original.id])
    await close('')
    assert.deepEqual(await state(), [null, false, false, null])
    await close('solved-elsewhere', original.id)
    await close('off-topic')
    assert.deepEqual(await state(), ['off-topic', true, true, null], 'another reason is no duplicate')
  })

  test('a measure that closes it is lifted as one: it is closed while either holds', async () => {
    const { db, staff, question, close, state } = await aScene()
    const subject = { about: 'question', id: question.id } as const
    const byMeasure = async () => {
      await reported(db, subject, null)
      await decided(db, staff.id, await caseOf(db, subject), ['close'])
      const [measure] = await measuresOf(db, (await caseOf(db, subject)).id)
      return measure?.id ?? 0
    }
    const lift = (id: number) =>
      inWrite(db, (write) => endMeasure(write, id, { how: 'lifted', actorId: staff.id, note: '' }))
    const first = await byMeasure()
    await close('unclear')
    await close('')
    assert.deepEqual(await state(), [null, true, false, null], 'the measure holds')
    await lift(first)
    assert.deepEqual(await state(), [null, false, false, null])
    const second = await byMeasure()
    await close('unclear')
    await lift(second)
    assert.deepEqual(await state(), ['unclear', true, true, null], 'staff hold it')
  })

  test('is in the log, and so is opening it again', async () => {
    const { db, staff, question, close } = await aScene()
    await close('unclear')
    await close('')
    const noted = await rowsOf(db, 'audit', { subject_id: question.id, actor_id: staff.id })
    assert.deepEqual(new Set(valuesOf(noted, 'act')), new Set(['staff-decided']))
    assert.deepEqual(valuesOf(noted, 'detail'), [{ act: 'closed' }, { act: 'reopened' }])
  })

  test('by its form it can be undone beside the message; its page says why, without a name, and offers no form', async () => {
    const { app } = forum
    const { learner, staff, question, state } = await aScene()
    const browser = await signedIn(app, staff)
    const send = async (fields: Fields) =>
      (await browser.follow(await browser.post(`/questions/${question.id}/closing`, fields))).body
    const closed = await send({ reason: 'heated' })
    assert.match(textOf(closed), /Closed to answers\. Undo/)
    assert.match(closed, /name="reason" value=""/)
    const page = (await (await signedIn(app, learner)).get(questionPath(question))).body
    assert.match(textOf(page), /Closed by course staff\. Reason: Too heated\. No new answers or replies\./)
    assert.ok(!page.includes(staff.displayName))
    assert.doesNotMatch(page, /\/answers"|\/replies"|\/closing"/)
    for (const form of ['closing', 'answers'])
      assert.ok(closed.includes(`action="/questions/${question.id}/${form}"`), form)
    assert.match(textOf(await send({ reason: '' })), /Reopened to answers\./)
    assert.deepEqual(await state(), [null, false, false, null])
  })
})
