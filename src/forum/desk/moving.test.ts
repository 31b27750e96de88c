import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { act, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { postAnswer } from '../answers/operations.ts'
import { reported } from '../cases/testing.ts'
import { addMember } from '../courses/commands.ts'
import { makeEntry } from '../faq/operations.ts'
import { setFollowing, setPlaceFollowing } from '../follows/following.ts'
import { pinQuestion } from '../posts/pin.ts'
import { assignQuestion } from './assignment.ts'
import { setDuplicate } from './duplicates.ts'
import { BESIDE_COURSE, questionMove } from './moving.ts'
import { snoozeQuestion } from './snooze.ts'

/** Where rows beside a question say that it is. */
const coursesOf = async (
  db: Database,
  question: { readonly id: number },
  table: 'question_tags' | 'question_desk' | 'search_documents',
) => valuesOf(await rowsOf(db, table, { question_id: question.id }), 'course_id')

suite('moving a question', () => {
  const forum = sharedForum()

  /** Two courses with the same staff, and a question of the first. */
  async function aScene({ isPublic = true } = {}) {
    const { db } = forum
    const from = await aCourse(db, { lectures: ['One', 'Two'] })
    const to = await aCourse(db, { lectures: ['First', 'Second'], isPublic })
    const staff = await aMember(db, from, 'assistant')
    await within(db, addMember, to.id, staff.id, 'instructor')
    const asker = await aMember(db, from)
    if (!isPublic) await within(db, addMember, to.id, asker.id, 'learner')
    const [lectureId = 0] = from.lectureIds
    const question = await aQuestion(db, { course: from, author: asker, lectureId, tags: ['http'], votes: 2 })
    const move = (input: Readonly<Record<string, unknown>>) =>
      act(forum, questionMove, { actor: staff, key: question.id, input })
    const place = async () => {
      const row = await rowOf(db, 'questions', question.id)
      return [row.course_id, row.lecture_id, row.category_id]
    }
    return { db, from, to, staff, asker, question, move, place }
  }

  test('to another lecture or none is one act that is no edit, tells no one and is counted', async () => {
    const { db, from, staff, question, move, place } = await aScene()
    const before = await rowOf(db, 'questions', question.id)
    await move({ lecture: '2' })
    assert.deepEqual(await place(), [from.id, from.lectureIds[1], from.categoryId])
    await move({ lecture: '' })
    assert.deepEqual(await place(), [from.id, null, from.categoryId])
    const { version, edited_at } = await rowOf(db, 'questions', question.id)
    assert.deepEqual([version, edited_at], [before.version, null])
    assert.deepEqual(await rowsOf(db, 'notifications', { question_id: question.id, reason: 'moved' }), [])
    const noted = await rowsOf(db, 'audit', { subject_id: question.id, actor_id: staff.id })
    assert.deepEqual(valuesOf(noted, 'detail'), [{ act: 'moved' }, { act: 'moved' }])
    assert.deepEqual(await recount(db), [])
    await refuses(forum, questionMove, { actor: staff, key: question.id }, [
      [{ lecture: '7' }, 'lecture: questions.lecture.unknown'],
      [{ lecture: 'one' }, 'lecture: questions.lecture.unknown'],
    ])
  })

  test('to another course takes all along, at the old time, and ends what is the old course’s', async () => {
    const { db, from, to, staff, asker, question, move, place } = await aScene()
    const [desk] = await rowsOf(db, 'question_desk', { question_id: question.id })
    const answer = await anAnswer(db, { question, votes: 1 })
    const { id: duplicateId } = await aQuestion(db, { course: from })
    const inAWeek = { day: '2099-01-01', timeZone: 'UTC' }
    const assigned = { assigneeId: staff.id, actorId: staff.id, seen: null, courseId: from.id }
    await within(db, assignQuestion, { questionId: question.id, ...assigned })
    await within(db, snoozeQuestion, question.id, inAWeek)
    const pin = { questionId: question.id, until: inAWeek.day, timeZone: 'UTC', actorId: staff.id }
    await within(db, pinQuestion, pin)
    const link = { questionId: duplicateId, originalId: question.id, actorId: staff.id }
    await within(db, setDuplicate, link)
    await within(db, makeEntry, { courseId: from.id, about: question.id, state: 'shown', position: null })
    await setRows(db, 'question_desk', { question_id: question.id }, { told_due_since: sql`now()` })
    await move({ course: to.slug, lecture: '2' })
    assert.deepEqual(await place(), [to.id, to.lectureIds[1], to.categoryId])
    assert.equal((await rowOf(db, 'questions', question.id)).votes_count, 2)
    assert.equal((await rowOf(db, 'answers', answer.id)).votes_count, 1)
    assert.deepEqual(await coursesOf(db, question, 'question_tags'), [to.id])
    assert.deepEqual(await coursesOf(db, question, 'search_documents'), [to.id])
    const [waits] = await rowsOf(db, 'question_desk', { question_id: question.id })
    assert.deepEqual([waits?.course_id, waits?.lecture_id], [to.id, to.lectureIds[1]])
    assert.deepEqual(waits?.classmates_since ?? waits?.waiting_since, desk?.waiting_since)
    assert.deepEqual([waits?.assignee_id, waits?.snoozed_until, waits?.told_due_since], [null, null, null])
    assert.deepEqual(await rowsOf(db, 'pins', { question_id: question.id }), [])
    assert.equal((await rowOf(db, 'questions', duplicateId)).duplicate_of, null)
    const [entry] = await rowsOf(db, 'faq_entries', { course_id: from.id })
    const { body } = await rowOf(db, 'answers', answer.id)
    assert.deepEqual([entry?.question_id, entry?.title, entry?.body], [null, question.title, body])
    assert.deepEqual(await recount(db), [])
    const decided = { subject_id: question.id, act: 'staff-decided', actor_id: staff.id } as const
    const noted = await rowsOf(db, 'audit', decided)
    assert.deepEqual(valuesOf(noted, 'course_id').slice(-2).sort(), [from.id, to.id])
    await act(forum, postAnswer, { actor: asker, key: question.id, input: { body: 'Yes.' } })
  })

  test('an entry of the FAQ that was declined, or is about a private question, isn’t kept as text', async () => {
    const { db, from, to, question, move } = await aScene()
    await within(db, makeEntry, { courseId: from.id, about: question.id, state: 'shown', position: null })
    await setRows(db, 'questions', question.id, { audience: 'staff' })
    await move({ course: to.slug })
    assert.deepEqual(await rowsOf(db, 'faq_entries', { course_id: from.id }), [])
  })

  test('is refused with all that is against it', async () => {
    const { db } = forum
    const { from, staff, asker, question, place } = await aScene()
    const closed = await aCourse(db, { isPublic: false })
    await setRows(db, 'courses', closed.id, { allows_private: false, allows_anonymous: false })
    await within(db, addMember, closed.id, staff.id, 'assistant')
    await anAnswer(db, { question, isAnonymous: true })
    await setRows(db, 'questions', question.id, { audience: 'staff' })
    await reported(db, { about: 'question', id: question.id }, null)
    const [foreign, hidden] = [await aCourse(db), await aCourse(db, { isPublic: false })]
    await setRows(db, 'courses', foreign.id, { archived_at: sql`now()` })
    const refused = (...all: string[]) => all.map((one) => `course: moving.refused.${one}`).join(', ')
    const by = { actor: staff, key: question.id }
    await refuses(forum, questionMove, by, [
      [{ course: closed.slug }, refused('private', 'anonymous', 'asker', 'case')],
      [{ course: foreign.slug }, refused('unknown')],
      [{ course: hidden.slug }, refused('unknown')],
      [{ course: 'no-such' }, refused('unknown')],
    ])
    await within(db, addMember, closed.id, asker.id, 'learner')
    await setRows(db, 'courses', from.id, { is_public: false })
    await within(db, addMember, foreign.id, staff.id, 'assistant')
    await refuses(forum, questionMove, by, [
      [{ course: closed.slug }, refused('private', 'anonymous', 'case')],
      [{ course: foreign.slug }, refused('archived', 'public', 'anonymous', 'case')],
    ])
    assert.equal((await place())[0], from.id)
  })

  test('tells once who may read it there; the others are told nothing more, and follow it no longer', async () => {
    const { db, from, to, staff, asker, question, move } = await aScene({ isPublic: false })
    const [stays, goes] = [await aMember(db, from), await aMember(db, from)]
    const [watcher, mentioned] = [await aMember(db, to), await aMember(db, to)]
    await within(db, addMember, to.id, stays.id, 'learner')
    for (const { id } of [stays, goes]) await within(db, setFollowing, question.id, id, 'follow')
    await within(db, setPlaceFollowing, { kind: 'course', id: to.id }, stays.id, true)
    await within(db, setPlaceFollowing, { kind: 'course', id: to.id }, watcher.id, true)
    const of = { reply_id: (await aReply(db, { question, author: stays })).id }
    await sql`insert into mentions (person_id, reply_id, mentioned_at) values (${mentioned.id}, ${of.reply_id}, now())`.execute(
      db,
    )
    await move({ course: to.slug })
    const told = await rowsOf(db, 'notifications', { question_id: question.id, reason: 'moved' })
    const ids = [stays.id, watcher.id, mentioned.id]
    assert.deepEqual(new Set(valuesOf(told, 'person_id')), new Set(ids))
    assert.deepEqual(new Set(valuesOf(told, 'count')), new Set([1]))
    const follows = await rowsOf(db, 'question_follows', { question_id: question.id })
    assert.deepEqual(new Set(valuesOf(follows, 'person_id')), new Set([asker.id, stays.id]))
    await anAnswer(db, { question, author: staff })
    const [before] = await rowsOf(db, 'notifications', { person_id: goes.id })
    assert.equal(before?.count, 1, 'the reply before it moved')
    const bell = await (await signedIn(forum.app, watcher)).get('/notifications')
    assert.match(textOf(bell.body), new RegExp(`Moved to another course: ${question.title}`))
  })

  test('two moves, or a move and an answer, at once are done one after the other', async () => {
    const { db, from, to, staff, question, move, place } = await aScene()
    const third = await aCourse(db)
    const helper = await aPerson(db)
    await within(db, addMember, third.id, staff.id, 'assistant')
    const answering = () =>
      act(forum, postAnswer, { actor: helper, key: question.id, input: { body: 'An answer.' } })
    await Promise.all([
      move({ course: to.slug }),
      answering(),
      move({ course: third.slug }),
      answering(),
      move({ lecture: '' }),
      move({ course: from.slug, lecture: '1' }),
    ])
    const [courseId] = await place()
    assert.equal((await rowOf(db, 'questions', question.id)).answers_count, 2)
    for (const table of ['question_tags', 'question_desk', 'search_documents'] as const)
      assert.deepEqual(await coursesOf(db, question, table), [courseId], table)
    assert.deepEqual(await recount(db), [])
  })

  test('each table with a question and a course says what becomes of it', async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.columns as one
      join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and column_name in ('question_id', 'course_id')
      group by table_name having count(*) = 2 order by table_name`.execute(forum.db)
    assert.deepEqual(valuesOf(rows, 'name'), Object.keys(BESIDE_COURSE).toSorted())
  })

  test('its page offers the course first, says what that means, and the form moves it; a lecture can be undone', async () => {
    const { app } = forum
    const { db, from, to, staff, question, place } = await aScene({ isPublic: false })
    await anAnswer(db, { question })
    const browser = await signedIn(app, staff)
    const path = `/questions/${question.id}/move`
    assert.ok((await browser.get(questionPath(question))).body.includes(`href="${path}"`))
    assert.match(textOf((await browser.get(path)).body), /Lecture 2: Two/)
    const there = textOf((await browser.get(`${path}?course=${to.slug}`)).body)
    for (const part of ['Lecture 2: Second', 'One author can’t read it there.'])
      assert.ok(there.includes(part))
    const moved = await browser.post(path, { course: from.slug, lecture: '2' })
    assert.match(textOf((await browser.follow(moved)).body), /Moved to another lecture\. Undo/)
    await browser.post(`${path}?lecture=1`, { lecture: '1' })
    assert.deepEqual((await place()).slice(0, 2), [from.id, from.lectureIds[0]])
    const wrong = await browser.post(path, { course: to.slug, lecture: '9' })
    assert.equal(wrong.statusCode, 422)
    assert.match(textOf(wrong.body), /Lecture 2: Second/)
    await browser.follow(await browser.post(path, { course: to.slug, lecture: '1' }))
    assert.deepEqual((await place()).slice(0, 2), [to.id, to.lectureIds[0]])
    assert.equal((await browser.get(questionPath(question))).statusCode, 200, 'its address stays')
    const back = await browser.post(path, { course: from.slug })
    assert.equal(back.statusCode, 422)
    assert.match(textOf(back.body), /More people could read the question there/)
  })
})
