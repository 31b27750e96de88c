import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Operation } from '../../kernel/operation.ts'
import { refusalOf } from '../../testing/act.ts'
import type { Ending } from '../../testing/at-end.ts'
import { aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { setRows } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { lockQuestion } from '../posts/lock.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { editQuestion } from '../questions/edit-operations.ts'
import { asked, aToldCourse, deliver, happen } from './testing.ts'

const NAME = 'Zyxmina'

suite('hiding a name', () => {
  const forum = sharedForum()

  async function aScene(t: Ending) {
    const types = ['question.created', 'answer.created', 'reply.created']
    const { db, course, receiver } = await aToldCourse(t, forum.db, { types })
    await setRows(db, 'courses', course.id, { allows_anonymous: true })
    const author = await aMember(db, course, 'learner', await aPerson(db, { displayName: NAME }))
    const question = await aQuestion(db, { course, author })
    return { db, course, author, question, receiver }
  }

  test('is possible until a webhook was sent a post of it, be it answered or not', async (t) => {
    const { db, course, author: actor, question, receiver } = await aScene(t)
    receiver.answer = (reply) => reply.writeHead(500).end()
    const answer = await anAnswer(db, { question, author: actor })
    const reply = await aReply(db, { answer, author: actor })
    const ids = { course_id: course.id, question_id: question.id }
    const input = { title: 'Who dares', body: 'I.', anonymous: '1' }
    const hide = ({ id: key }: { readonly id: number }, edit: Operation<number, unknown>) =>
      refusalOf(forum, edit, { actor, key, input })
    await happen(db, [{ type: 'question.created', ...ids }], 300)
    assert.equal(await hide(question, editQuestion), 'done', 'it is planned')
    await happen(db, [{ type: 'answer.created', ...ids, answer_id: answer.id }])
    await deliver(db)
    assert.match(receiver.received[0]?.body ?? '', new RegExp(NAME))
    assert.equal(await hide(reply, TEXT_EDITS.replies), 'done', 'of another post')
    assert.equal(await hide(answer, TEXT_EDITS.answers), 'anonymous: anonymous.late')
  })

  test('and sending wait for each other: no name is told that is hidden a moment later', async (t) => {
    const { db, question, receiver } = await aScene(t)
    await asked(db, [question])
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
