import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refusalOf } from '../../testing/act.ts'
import type { Ending } from '../../testing/at-end.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { lockQuestion } from '../posts/lock.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { editQuestion } from '../questions/edit-operations.ts'
import { aReceiver, aWebhook, deliver, happen } from './testing.ts'

const NAME = 'Zyxmina'

suite('hiding a name', () => {
  const forum = sharedForum()

  async function aScene(t: Ending) {
    const { db } = forum
    const course = await aCourse(db)
    await db.updateTable('courses').set({ allows_anonymous: true }).where('id', '=', course.id).execute()
    const owner = await aMember(db, course, 'instructor')
    const author = await aMember(db, course, 'learner', await aPerson(db, { displayName: NAME }))
    const question = await aQuestion(db, { course, author })
    const receiver = await aReceiver(t)
    const types = ['question.created', 'answer.created', 'reply.created']
    await aWebhook(db, { url: receiver.url, owner, course_id: course.id, types })
    return { db, course, author, question, receiver }
  }

  test('is possible until a webhook was sent a post of it, be it answered or not', async (t) => {
    const { db, course, author: actor, question, receiver } = await aScene(t)
    receiver.answer = (reply) => reply.writeHead(500).end()
    const answer = await anAnswer(db, { question, author: actor })
    const reply = await aReply(db, { answer, author: actor })
    const ids = { course_id: course.id, question_id: question.id }
    const hide = {
      questions: () =>
        refusalOf(forum, editQuestion, {
          actor,
          key: question.id,
          input: { title: 'Who dares', body: 'I.', anonymous: '1' },
        }),
      answers: () =>
        refusalOf(forum, TEXT_EDITS.answers, {
          actor,
          key: answer.id,
          input: { body: 'I.', anonymous: '1' },
        }),
      replies: () =>
        refusalOf(forum, TEXT_EDITS.replies, { actor, key: reply.id, input: { body: 'I.', anonymous: '1' } }),
    }
    await happen(db, [{ type: 'question.created', ...ids }], 300)
    assert.equal(await hide.questions(), 'done', 'it is planned')
    await happen(db, [{ type: 'answer.created', ...ids, answer_id: answer.id }])
    await deliver(db)
    assert.match(receiver.received[0]?.body ?? '', new RegExp(NAME))
    assert.equal(await hide.replies(), 'done', 'of another post')
    assert.equal(await hide.answers(), 'anonymous: anonymous.late')
  })

  test('and sending wait for each other: no name is told that is hidden a moment later', async (t) => {
    const { db, course, question, receiver } = await aScene(t)
    await happen(db, [{ type: 'question.created', course_id: course.id, question_id: question.id }])
    const sending: Promise<void>[] = []
    await db.transaction().execute(async (write) => {
      await lockQuestion(write, question.id)
      sending.push(deliver(db))
      await untilWaiting(db)
      await write.updateTable('questions').set({ is_anonymous: true }).where('id', '=', question.id).execute()
    })
    await Promise.all(sending)
    assert.doesNotMatch(receiver.received[0]?.body ?? assert.fail('nothing came'), new RegExp(NAME))
  })
})
