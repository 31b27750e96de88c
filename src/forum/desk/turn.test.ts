import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Database, Role } from '../../database/schema.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { testDatabase } from '../../testing/database.ts'
import {
  aText,
  deleteAnswer,
  deleteQuestion,
  deleteReply,
  restoreAnswer,
  restoreQuestion,
} from '../../testing/posts.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { addMember } from '../courses/commands.ts'
import { removeMember } from '../courses/roles.ts'
import { setResolution } from '../posts/resolution.ts'
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
  const setRole = (personId: number, role: Role) => within(db, addMember, course.id, personId, role)
  return { course, staff, asker, classmate, question, turn, setRole }
}

suite('whose turn a question is', () => {
  test('it waits for staff until one of them answers or replies', async (t) => {
    const db = await testDatabase(t)
    const { question, staff, turn } = await aThread(db)
    assert.equal(await turn(), 'waiting')
    const reply = await aReply(db, { question, author: staff })
    assert.equal(await turn(), 'none', 'asked back')
    await within(db, deleteReply, question.id, reply.id)
    assert.equal(await turn(), 'waiting', 'the reply is gone')
    const answer = await anAnswer(db, { question, author: staff })
    assert.equal(await turn(), 'none')
    await within(db, deleteAnswer, question.id, answer.id)
    assert.equal(await turn(), 'waiting')
    await within(db, restoreAnswer, question.id, answer.id)
    assert.equal(await turn(), 'none')
  })

  test('@staff makes it wait, whoever says it and whoever answered, until staff say something', async (t) => {
    const db = await testDatabase(t)
    const { question, asker, classmate, staff, turn } = await aThread(db)
    await anAnswer(db, { question, author: classmate })
    assert.equal(await turn(), 'classmates')
    const call = await aReply(db, { question, author: classmate, body: 'Is that so, @staff?' })
    assert.equal(await turn(), 'waiting')
    await anAnswer(db, { question, author: classmate })
    assert.equal(await turn(), 'waiting', 'a call is for staff')
    const edit = { actorId: classmate.id, body: await aText('Is that so?'), version: 1, isByStaff: false }
    await within(db, editText, 'replies', { id: call.id, questionId: question.id }, edit)
    assert.equal(await turn(), 'classmates', 'it is no call any more')
    await aReply(db, { question, author: asker, body: '@운영진 도와주세요' })
    await aReply(db, { question, author: staff, body: 'Ask @staff in the lab.' })
    assert.equal(await turn(), 'none', 'of staff it is no call')
    assert.deepEqual(await recount(db), [])
  })

  test('a classmate’s answer takes it out of what waits, and the asker’s reply brings it back', async (t) => {
    const db = await testDatabase(t)
    const { question, asker, classmate, turn } = await aThread(db)
    const answer = await anAnswer(db, { question, author: classmate })
    assert.equal(await turn(), 'classmates')
    await aReply(db, { question, author: classmate })
    assert.equal(await turn(), 'classmates', 'a classmate’s reply is no word of the asker')
    const reply = await aReply(db, { answer, author: asker })
    assert.equal(await turn(), 'waiting')
    await within(db, deleteReply, question.id, reply.id)
    assert.equal(await turn(), 'classmates')
  })

  test('what stands under a deleted answer counts no more', async (t) => {
    const db = await testDatabase(t)
    const { question, staff, classmate, turn } = await aThread(db)
    const answer = await anAnswer(db, { question, author: classmate })
    await aReply(db, { answer, author: staff })
    assert.equal(await turn(), 'none')
    await within(db, deleteAnswer, question.id, answer.id)
    assert.equal(await turn(), 'waiting')
  })

  test('a resolved or deleted question waits for nobody; reopened it waits again, though staff have answered', async (t) => {
    const db = await testDatabase(t)
    const { question, staff, turn } = await aThread(db)
    const answer = await anAnswer(db, { question, author: staff })
    await within(db, setAcceptance, question.id, answer.id, true)
    assert.equal(await turn(), 'none')
    await within(db, setResolution, question.id, 'unresolved')
    assert.equal(await turn(), 'waiting')
    await within(db, deleteQuestion, question.id)
    assert.equal(await turn(), 'none')
    await within(db, restoreQuestion, question.id)
    assert.equal(await turn(), 'waiting')
    await within(db, setResolution, question.id, 'resolved')
    assert.equal(await turn(), 'none')
  })

  test('it has waited since the first word that nobody answered, not since the last', async (t) => {
    const db = await testDatabase(t)
    const { question, asker } = await aThread(db)
    await aReply(db, { question, author: asker })
    const { waiting_since: since } = await rowOf(db, 'question_desk', { question_id: question.id })
    assert.deepEqual(since, (await rowOf(db, 'questions', question.id)).written_at)
  })

  test('answers count by what their author is in the course now', async (t) => {
    const db = await testDatabase(t)
    const { course, question, classmate, turn, setRole } = await aThread(db)
    await anAnswer(db, { question, author: classmate })
    await setRole(classmate.id, 'assistant')
    assert.equal(await turn(), 'none')
    await setRole(classmate.id, 'learner')
    assert.equal(await turn(), 'classmates')
    await setRole(classmate.id, 'instructor')
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
