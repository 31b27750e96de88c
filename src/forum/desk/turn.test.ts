import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { testDatabase } from '../../testing/database.ts'
import { aText, deleteAnswer, deleteReply, restoreAnswer } from '../../testing/posts.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { addMember } from '../courses/commands.ts'
import { removeMember } from '../courses/roles.ts'
import { editText } from '../posts/text.ts'

async function aThread(db: Database) {
  const course = await aCourse(db)
  const [staff, asker, classmate] = [
    await aMember(db, course, 'assistant'),
    await aPerson(db),
    await aPerson(db),
  ]
  const question = await aQuestion(db, { course, author: asker })
  const turn = async () => {
    const desk = await rowOf(db, 'question_desk', { question_id: question.id })
    if (desk.waiting_since !== null) return 'waiting'
    return desk.classmates_since === null ? 'none' : 'classmates'
  }
  return { course, staff, asker, classmate, question, turn }
}

suite('whose turn a question is', () => {
  test('what is deleted counts no more, nor what stands under it, until it is restored', async (t) => {
    const db = await testDatabase(t)
    const { question, staff, classmate, asker, turn } = await aThread(db)
    const { id } = question
    const reply = await aReply(db, { question, author: staff })
    await within(db, deleteReply, id, reply.id)
    assert.equal(await turn(), 'waiting')
    const answer = await anAnswer(db, { question, author: staff })
    await within(db, deleteAnswer, id, answer.id)
    assert.equal(await turn(), 'waiting')
    await within(db, restoreAnswer, id, answer.id)
    assert.equal(await turn(), 'none')
    await within(db, deleteAnswer, id, answer.id)
    const theirs = await anAnswer(db, { question, author: classmate })
    const { id: asked } = await aReply(db, { answer: theirs, author: asker })
    assert.equal(await turn(), 'waiting')
    await within(db, deleteReply, id, asked)
    assert.equal(await turn(), 'classmates')
    await aReply(db, { answer: theirs, author: staff })
    assert.equal(await turn(), 'none')
    await within(db, deleteAnswer, id, theirs.id)
    assert.equal(await turn(), 'waiting')
  })

  test('@staff makes it wait, in any language, until it is no call any more, which of staff it is not', async (t) => {
    const db = await testDatabase(t)
    const { question, classmate, staff, turn } = await aThread(db)
    await anAnswer(db, { question, author: classmate })
    await aReply(db, { question, author: classmate })
    assert.equal(await turn(), 'classmates', 'a classmate’s reply is no word of the asker')
    const call = await aReply(db, { question, author: classmate, body: 'Is that so, @staff?' })
    await anAnswer(db, { question, author: classmate })
    assert.equal(await turn(), 'waiting', 'a call is for staff')
    const edit = { actorId: classmate.id, body: await aText('Is that so?'), version: 1, isByStaff: false }
    await within(db, editText, 'replies', { id: call.id, questionId: question.id }, edit)
    assert.equal(await turn(), 'classmates', 'it is no call any more')
    await aReply(db, { question, author: classmate, body: '@운영진 도와주세요' })
    assert.equal(await turn(), 'waiting')
    await aReply(db, { question, author: staff, body: 'Ask @staff in the lab.' })
    assert.equal(await turn(), 'none', 'of staff it is no call')
    assert.deepEqual(await recount(db), [])
  })

  test('answers count by what their author is in the course now', async (t) => {
    const db = await testDatabase(t)
    const { course, question, classmate, turn } = await aThread(db)
    await anAnswer(db, { question, author: classmate })
    for (const [role, turns] of [
      ['assistant', 'none'],
      ['learner', 'classmates'],
      ['instructor', 'none'],
    ] as const) {
      await within(db, addMember, course.id, classmate.id, role)
      assert.equal(await turn(), turns, role)
    }
    await within(db, removeMember, course.id, classmate.id)
    assert.equal(await turn(), 'classmates')
    await setRows(db, 'people', classmate.id, { is_admin: true })
    assert.equal(await turn(), 'none', 'admins are staff everywhere')
    assert.deepEqual(await recount(db), [])
  })

  test('a broken promise makes it due until staff answer, or were told', async (t) => {
    const db = await testDatabase(t)
    const { course, question, staff, asker } = await aThread(db)
    const due = async () => (await db.selectFrom('due_questions').select('question_id').execute()).length
    await setRows(db, 'questions', question.id, { written_at: new Date(Date.now() - 25 * 3_600_000) })
    assert.equal(await due(), 0, 'nothing is promised')
    await setPromise(db, course.id, 24)
    assert.equal(await due(), 1)
    await sql`update question_desk set told_due_since = waiting_since`.execute(db)
    assert.equal(await due(), 0)
    const answer = await anAnswer(db, { question, author: staff })
    const reply = await aReply(db, { question, author: asker })
    assert.equal(await due(), 0, 'its turn is new')
    const later = new Date(Date.now() - 24.5 * 3_600_000)
    await setRows(db, 'answers', answer.id, { written_at: new Date(later.getTime() - 1000) })
    await setRows(db, 'replies', reply.id, { written_at: later })
    assert.equal(await due(), 1, 'and broken again')
  })
})
