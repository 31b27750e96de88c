import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf } from '../../testing/page.ts'
import { deleteAnswer, deleteQuestion, restoreAnswer, restoreQuestion } from '../../testing/posts.ts'
import { rowOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { replyToAnswer } from '../replies/operations.ts'
import type { PostKey } from './kinds.ts'
import { hidePost, REMOVALS, showPost } from './removal.ts'
import { TEXT_EDITS } from './text-edit.ts'

/** Of what is hidden, and of nothing else. */
const WORD = 'zyxveiled'

suite('hiding posts', () => {
  const forum = sharedForum()
  const hide = (table: PostKey['table'], id: number) => within(forum.db, hidePost, { table, id })
  const show = (table: PostKey['table'], id: number) => within(forum.db, showPost, { table, id })
  /** What its question says of an answer that was accepted: its state, the accepted answer and how many there are. */
  const stateOf = async ({ id }: { id: number }) => {
    const { status, accepted_answer_id, answers_count } = await rowOf(forum.db, 'questions', id)
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
      const { is_listed } = await rowOf(db, 'questions', id)
      const { questions_count, resolved_count, unanswered_count } = await rowOf(db, 'courses', course.id)
      const counts = [is_listed, questions_count, resolved_count, unanswered_count]
      assert.deepEqual(counts, [count === 1, count, 0, 0])
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
    const isWaiting = async () =>
      (await rowOf(db, 'question_desk', { question_id: question.id })).waiting_since !== null
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

  const aThread = async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [asker, helper] = [await aMember(db, course), await aMember(db, course)]
    const staff = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course, author: asker, title: 'Which port does it use?' })
    const answer = await anAnswer(db, { question, author: helper, body: `Port 443, ${WORD}.` })
    const reply = await aReply(db, { answer, author: asker, body: 'Thank you.' })
    return { course, asker, helper, staff, question, answer, reply }
  }
  const tells = async (browser: Browser, path: string) => (await browser.get(path)).body.includes(WORD)

  test('a hidden answer is left out of its question, feed, list, search, profile and structured data, and comes back', async () => {
    const { course, helper, question, answer } = await aThread()
    const path = questionPath(question)
    const profile = `/people/${helper.id}/${helper.displayName.toLowerCase().replaceAll(' ', '-')}`
    const assertShown = async (isShown: boolean) => {
      const reader = visitor(forum.app)
      for (const place of [path, `/questions/${question.id}/feed.atom`, profile])
        assert.equal(await tells(reader, place), isShown, place)
      const page = (await reader.get(path)).body
      assert.ok(page.includes(`"answerCount":${isShown ? 1 : 0}`))
      assert.equal(page.includes('Thank you.'), isShown, 'a reply below it')
      assert.equal((await reader.get(`/search?q=${WORD}`)).body.includes(path), isShown)
      const list = textOf((await reader.get(`/courses/${course.slug}`)).body)
      assert.match(list, isShown ? /1 answer\b/ : /0 answers/)
    }
    await assertShown(true)
    await hide('answers', answer.id)
    await assertShown(false)
    await show('answers', answer.id)
    await assertShown(true)
  })

  test('its author and staff see a hidden answer, what is below it, and that others don’t; its asker sees nothing', async () => {
    const { asker, helper, staff, question, answer } = await aThread()
    await hide('answers', answer.id)
    for (const person of [helper, staff]) {
      const page = await (await signedIn(forum.app, person)).get(questionPath(question))
      const post = elementIn(page.body, `answer-${answer.id}`)
      assert.match(textOf(post), /Hidden\. Only the author and course staff can see this\..*Thank you\./)
      assert.match(post, new RegExp(`/answers/${answer.id}/edit`))
      assert.doesNotMatch(post, new RegExp(`/answers/${answer.id}/(votes|replies|acceptance|endorsement)"`))
    }
    const page = await (await signedIn(forum.app, asker)).get(questionPath(question))
    assert.ok(!page.body.includes(WORD) && !page.body.includes('Thank you.'))
  })

  test('a hidden question is there for who asked it, marked in their list, and for staff', async () => {
    const { course, asker, staff } = await aThread()
    const question = await aQuestion(forum.db, { course, author: asker, title: `About ${WORD}`, answers: 1 })
    await hide('questions', question.id)
    for (const person of [asker, staff]) {
      const page = await (await signedIn(forum.app, person)).get(questionPath(question))
      assert.equal(page.statusCode, 200)
      assert.match(
        textOf(page.body),
        /Hidden\. Only the author.*This question is hidden and can’t be answered\./,
      )
      assert.doesNotMatch(page.body, /application\/ld\+json/)
      assert.match(page.body, /<meta name="robots" content="noindex"/)
    }
    const own = await (await signedIn(forum.app, asker)).get(`/courses/${course.slug}?mine=1`)
    assert.match(textOf(own.body), new RegExp(`About ${WORD}.*Hidden`))
  })

  test('a held post waits for review: only its author and staff see it', async () => {
    const { asker, helper, question, answer } = await aThread()
    await sql`update answers set held_at = now(), held_for = 'all' where id = ${answer.id}`.execute(forum.db)
    assert.equal(await tells(await signedIn(forum.app, asker), questionPath(question)), false)
    const page = await (await signedIn(forum.app, helper)).get(questionPath(question))
    assert.match(textOf(elementIn(page.body, `answer-${answer.id}`)), /Waiting for review\. Only the author/)
  })

  test('an author edits and deletes what is hidden, and it stays hidden; nothing is posted below it', async () => {
    const { asker, helper, question, answer } = await aThread()
    await hide('answers', answer.id)
    const by = { actor: helper, key: answer.id }
    await act(forum, TEXT_EDITS.answers, { ...by, input: { body: `Edited, ${WORD}.`, version: 1 } })
    assert.equal(await tells(visitor(forum.app), questionPath(question)), false)
    const input = { body: 'More.' }
    assert.equal(await refusalOf(forum, replyToAnswer, { ...by, input }), 'forbidden')
    assert.equal(await refusalOf(forum, replyToAnswer, { ...by, actor: asker, input }), 'notFound')
    await act(forum, REMOVALS.answers.deletion, by)
    await show('answers', answer.id)
    assert.equal(await tells(visitor(forum.app), questionPath(question)), false)
  })

  test('a hidden question is in the desk’s list of all, marked, and can be opened there', async () => {
    const { course, staff, question } = await aThread()
    const desk = await signedIn(forum.app, staff)
    const all = `/courses/${course.slug}/desk?view=all`
    assert.doesNotMatch(textOf((await desk.get(all)).body), /Hidden/)
    await hide('questions', question.id)
    assert.match(textOf((await desk.get(all)).body), /Which port does it use\?.*Hidden/s)
    const opened = await desk.get(`${all}&question=${question.id}`)
    assert.equal(opened.statusCode, 200)
    assert.match(opened.body, new RegExp(WORD))
  })
})
