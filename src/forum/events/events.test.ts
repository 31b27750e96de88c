import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { beginBulk } from '../../database/bulk.ts'
import { act } from '../../testing/act.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { aText } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { announcementEdit, postAnnouncement } from '../announcements/announcement.ts'
import { answerAcceptance } from '../answers/acceptance.ts'
import { answerEndorsement } from '../answers/endorsement.ts'
import { postAnswer } from '../answers/operations.ts'
import { CONVERSIONS } from '../converting/conversion.ts'
import { questionClosing } from '../desk/closing.ts'
import { questionMove } from '../desk/moving.ts'
import { deletePost, hidePost, holdPost, REMOVALS, releasePost, showPost } from '../posts/removal.ts'
import { questionResolution } from '../posts/resolution.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { castVote } from '../posts/vote.ts'
import { purgePost } from '../purging/delete-posts.ts'
import { openQuestion, withdrawQuestion } from '../questions/audience.ts'
import { writeQuestion } from '../questions/commands.ts'
import { editQuestion } from '../questions/edit-operations.ts'
import { askQuestion } from '../questions/operations.ts'
import { replyToAnswer, replyToQuestion } from '../replies/operations.ts'
import { recordEvents } from './testing.ts'

suite('events', () => {
  const forum = sharedForum()

  test('tell of a question that is asked, edited, resolved, reopened, closed, deleted and restored', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [asker, staff] = [await aMember(db, course), await aMember(db, course, 'instructor')]
    const happened = await recordEvents(db)
    const input = { title: 'What is a verb?', body: 'Tell me.', tags: ['http', 'rest'] }
    const { id } = await act(forum, askQuestion, { actor: asker, key: course.slug, input })
    assert.deepEqual(await happened(), [`question.created ${id}`])

    const edit = { ...input, title: 'What are verbs?', tags: ['http'], version: 1 }
    await act(forum, editQuestion, { actor: asker, key: id, input: edit })
    assert.deepEqual(await happened(), [`question.edited ${id}`])

    for (const status of ['resolved', 'unresolved'])
      await act(forum, questionResolution, { actor: asker, key: id, input: { status } })
    const closing = { actor: staff, key: { id, duplicate: '' } }
    for (const reason of ['off-topic', ''])
      await act(forum, questionClosing, { ...closing, input: { reason, duplicate: '' } })
    assert.deepEqual(
      await happened(),
      ['resolved', 'reopened', 'closed', 'reopened'].map((what) => `question.${what} ${id}`),
    )
    const { deletion, restoration } = REMOVALS.questions
    for (const operation of [deletion, restoration]) await act(forum, operation, { actor: asker, key: id })
    assert.deepEqual(await happened(), [`question.removed ${id}`, `question.restored ${id}`])
  })

  test('tell of a question that another one answers as closed, and as reopened once that is taken back', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'instructor')
    const [one, other] = [await aQuestion(db, { course }), await aQuestion(db, { course })]
    const happened = await recordEvents(db)
    const key = { id: one.id, duplicate: String(other.id) }
    const input = { reason: 'solved-elsewhere', duplicate: String(other.id) }
    await act(forum, questionClosing, { actor: staff, key, input })
    assert.deepEqual(await happened(), [`question.closed ${one.id}`])
    const open = { key: { id: one.id, duplicate: '' }, input: { reason: '', duplicate: '' } }
    await act(forum, questionClosing, { actor: staff, ...open })
    assert.deepEqual((await happened()).at(-1), `question.reopened ${one.id}`)
  })

  test('tell of an answer and its replies, and nothing of votes and views', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [asker, helper] = [await aMember(db, course), await aMember(db, course)]
    const staff = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course, author: asker })
    const happened = await recordEvents(db)
    const body = { body: 'It is 201.' }
    const { id } = await act(forum, postAnswer, { actor: helper, key: question.id, input: body })
    const edit = { body: 'It is 202.', version: 1 }
    await act(forum, TEXT_EDITS.answers, { actor: helper, key: id, input: edit })
    for (const value of [true, false])
      await act(forum, answerAcceptance, { actor: asker, key: id, input: { value } })
    for (const value of [true, false])
      await act(forum, answerEndorsement, { actor: staff, key: id, input: { value } })
    assert.deepEqual(await happened(), [
      ...[`answer.created ${id}`, `answer.edited ${id}`],
      ...[`question.resolved ${question.id}`, `answer.accepted ${id}`],
      ...[`question.reopened ${question.id}`, `answer.unaccepted ${id}`],
      ...[`answer.endorsed ${id}`, `answer.edited ${id}`],
    ])
    await castVote(db, { kind: 'answer', id }, asker.id, true)
    await castVote(db, { kind: 'question', id: question.id }, helper.id, true)
    await setRows(db, 'questions', question.id, { views_count: 7 })
    assert.deepEqual(await happened(), [])

    const { id: reply } = await act(forum, replyToAnswer, { actor: asker, key: id, input: body })
    await act(forum, TEXT_EDITS.replies, { actor: asker, key: reply, input: edit })
    const { id: direct } = await act(forum, replyToQuestion, { actor: helper, key: question.id, input: body })
    const { deletion, restoration } = REMOVALS.replies
    for (const operation of [deletion, restoration]) await act(forum, operation, { actor: asker, key: reply })
    assert.deepEqual(await happened(), [
      ...[`reply.created ${reply}`, `reply.edited ${reply}`, `reply.created ${direct}`],
      ...[`reply.removed ${reply}`, `reply.restored ${reply}`],
    ])
  })

  test('say that a deleted accepted answer is removed and its question reopened, and the reverse', async () => {
    const { db } = forum
    const answer = await anAnswer(db, { isAccepted: true })
    const happened = await recordEvents(db)
    const [{ id }, question] = [answer, answer.question.id]
    const { deletion, restoration } = REMOVALS.answers
    const actor = { id: answer.authorId }
    await act(forum, deletion, { actor, key: id })
    await act(forum, restoration, { actor, key: id })
    assert.deepEqual(await happened(), [
      ...[`answer.removed ${id}`, `question.reopened ${question}`],
      ...[`answer.restored ${id}`, `question.resolved ${question}`, `answer.accepted ${id}`],
    ])
  })

  test('call a held post created once it is let through, and restored if it was there before', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [author, answer] = [await aMember(db, course), await anAnswer(db)]
    const happened = await recordEvents(db)
    const content = { title: 'Is it held?', body: await aText('It is.'), tags: [], lectureId: null }
    const place = { courseId: course.id, categoryId: course.categoryId, authorId: author.id }
    const id = await within(db, writeQuestion, { ...content, ...place, heldFor: 'all' })
    assert.deepEqual(await happened(), [], 'nobody else knows of what is held')
    await within(db, releasePost, { table: 'questions', id }, null)
    assert.deepEqual(await happened(), [`question.created ${id}`])

    const key = { table: 'answers', id: answer.id } as const
    await within(db, holdPost, key, 'all')
    await within(db, hidePost, key)
    await within(db, releasePost, key, null)
    assert.deepEqual(await happened(), [`answer.removed ${answer.id}`])
    await within(db, showPost, key)
    assert.deepEqual(await happened(), [`answer.restored ${answer.id}`])
  })

  test('tell staff alone of private questions, and the course of those that are shared or kept', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [open, kept] = [await aQuestion(db, { course }), await aQuestion(db, { course, audience: 'staff' })]
    await setRows(db, 'questions', kept.id, { was_open: false })
    const happened = await recordEvents(db)
    const answer = await anAnswer(db, { question: kept })
    await within(db, deletePost, { table: 'answers', id: answer.id })
    const told = ['created', 'removed'].map((what) => `answer.${what} ${answer.id} (staff)`)
    assert.deepEqual(await happened(), told)
    await within(db, openQuestion, kept.id, null)
    await within(db, withdrawQuestion, open.id)
    await within(db, openQuestion, open.id, null)
    assert.deepEqual(await happened(), [
      `question.created ${kept.id}`,
      ...[`question.removed ${open.id}`, `question.restored ${open.id} (staff)`],
      `question.restored ${open.id}`,
    ])
  })

  test('tell the old course that a question is gone before the new one that it came', async () => {
    const { db } = forum
    const [from, to] = [await aCourse(db), await aCourse(db)]
    const admin = await aPerson(db, { isAdmin: true })
    const question = await aQuestion(db, { course: from, tags: ['http'] })
    const happened = await recordEvents(db)
    await act(forum, questionMove, { actor: admin, key: question.id, input: { course: to.slug } })
    assert.deepEqual(await happened(), [`question.removed ${question.id}`, `question.moved ${question.id}`])
    const placeOf = async (type: 'question.removed' | 'question.moved') =>
      (await rowOf(db, 'events', { question_id: question.id, type })).course_id
    assert.deepEqual([await placeOf('question.removed'), await placeOf('question.moved')], [from.id, to.id])
  })

  test('tell of announcements, and that one was corrected or corrects another', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'instructor')
    const happened = await recordEvents(db)
    const input = { title: 'The exam is on Friday', body: 'At ten.' }
    const { id } = await act(forum, postAnnouncement, { actor: staff, key: course.slug, input })
    const correction = { ...input, corrects: id }
    const later = await act(forum, postAnnouncement, { actor: staff, key: course.slug, input: correction })
    const edit = { ...input, body: 'At nine.', version: 1 }
    await act(forum, announcementEdit, { actor: staff, key: id, input: edit })
    assert.deepEqual(await happened(), [
      `announcement.posted ${id}`,
      ...[`announcement.corrected ${later.id}`, `announcement.corrected ${id}`],
    ])
  })

  test('tell of an answer that becomes a reply under its new number, and that the old one is gone', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course })
    const [answer, other] = [await anAnswer(db, { question }), await anAnswer(db, { question })]
    const reply = await aReply(db, { answer })
    const happened = await recordEvents(db)
    const under = { answer: other.id }
    await act(forum, CONVERSIONS.answers, { actor: staff, key: answer.id, input: under })
    const told = await happened()
    const id = (await rowsOf(db, 'replies', {})).at(-1)?.id
    assert.deepEqual(told.toSorted(), [
      `answer.removed ${answer.id}`,
      ...[`reply.created ${id}`, `reply.removed ${reply.id}`, `reply.restored ${reply.id}`],
    ])
    const ofReply = await rowsOf(db, 'events', { reply_id: reply.id })
    assert.deepEqual(valuesOf(ofReply, 'answer_id'), [answer.id, answer.id, other.id])
  })

  test('remember that a post was removed after its row is gone for good', async () => {
    const { db } = forum
    const answer = await anAnswer(db)
    const happened = await recordEvents(db)
    await purgePost(db, { table: 'answers', id: answer.id, questionId: answer.question.id })
    assert.deepEqual(await happened(), [`answer.removed ${answer.id}`])
  })

  test('tell nothing of bulk loads, and once of what changes twice in one transaction', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const happened = await recordEvents(db)
    await db.transaction().execute(async (write) => {
      await beginBulk(write)
      await setRows(write, 'questions', question.id, { title: 'A new title' })
    })
    assert.deepEqual(await happened(), [])
    await db.transaction().execute(async (write) => {
      for (const title of ['One title', 'Another title'])
        await setRows(write, 'questions', question.id, { title })
    })
    assert.deepEqual(await happened(), [`question.edited ${question.id}`])
  })
})
