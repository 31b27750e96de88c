import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { rowOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { answerAcceptance } from './acceptance.ts'
import { answerEndorsement } from './endorsement.ts'

suite('endorsing answers', () => {
  const forum = sharedForum()
  /** @returns the endorser, and whether it is the accepted one */
  const verdictsOn = async ({ id }: { id: number }) => {
    const { endorsed_by, endorsed_at, question_id } = await rowOf(forum.db, 'answers', id)
    const { accepted_answer_id } = await rowOf(forum.db, 'questions', question_id)
    assert.equal(endorsed_by === null, endorsed_at === null)
    return [endorsed_by, accepted_answer_id === id]
  }
  async function aThread() {
    const { db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course })
    const author = await aPerson(db)
    const [one, other] = [await anAnswer(db, { question, author }), await anAnswer(db, { question })]
    return { course, question, staff, author, one, other }
  }
  type Who = { readonly id: number }
  const endorse = (actor: Who, { id: key }: Who, value: boolean) =>
    act(forum, answerEndorsement, { actor, key, input: { value } })

  test('staff endorse several answers, and take it back; who endorsed first is kept', async () => {
    const { course, staff, one, other } = await aThread()
    await endorse(staff, one, true)
    await endorse(staff, other, true)
    assert.deepEqual([await verdictsOn(one), await verdictsOn(other)], Array(2).fill([staff.id, false]))
    const colleague = await aMember(forum.db, course, 'instructor')
    await endorse(colleague, one, true)
    assert.deepEqual(await verdictsOn(one), [staff.id, false])
    await endorse(colleague, one, false)
    assert.deepEqual([(await verdictsOn(one))[0], (await verdictsOn(other))[0]], [null, staff.id])
  })

  test('neither verdict undoes the other', async () => {
    const { question, staff, one } = await aThread()
    const accept = (value: boolean) =>
      act(forum, answerAcceptance, { actor: { id: question.authorId }, key: one.id, input: { value } })
    await endorse(staff, one, true)
    await accept(true)
    assert.deepEqual(await verdictsOn(one), [staff.id, true])
    await endorse(staff, one, false)
    assert.deepEqual(await verdictsOn(one), [null, true])
    await endorse(staff, one, true)
    await accept(false)
    assert.deepEqual(await verdictsOn(one), [staff.id, false])
  })

  test('an edit by a learner clears it, one by staff does not', async () => {
    const { staff, one, author } = await aThread()
    const edit = (actor: Who, version: number) =>
      act(forum, TEXT_EDITS.answers, { actor, key: one.id, input: { body: `After ${version}.`, version } })
    await endorse(staff, one, true)
    await edit(staff, 1)
    assert.deepEqual(await verdictsOn(one), [staff.id, false])
    await edit(author, 2)
    assert.deepEqual(await verdictsOn(one), [null, false])
  })

  test('it shows on the page, in lists, in the search and in structured data, until it is taken back', async () => {
    const { course, question, staff, one } = await aThread()
    const shown = async () => {
      const reader = visitor(forum.app)
      const page = (await reader.get(questionPath(question))).body
      const list = (await reader.get(`/courses/${course.slug}`)).body
      const found = (await reader.get(`/search?q=${encodeURIComponent(`course:${course.slug}`)}`)).body
      return {
        page: page.includes(`Endorsed by ${staff.displayName}`),
        list: list.includes('Endorsed'),
        search: found.includes('Endorsed'),
        data: page.includes(`"EndorsementRating","author":{"@type":"Person","name":"${staff.displayName}"`),
      }
    }
    const all = (is: boolean) => ({ page: is, list: is, search: is, data: is })
    assert.deepEqual(await shown(), all(false))
    await endorse(staff, one, true)
    assert.deepEqual(await shown(), all(true))
    await within(forum.db, deleteAnswer, question.id, one.id)
    assert.deepEqual(await shown(), all(false), 'the answer is deleted')
  })

  test('staff are offered it under what learners wrote, and learners are not', async () => {
    const { course, question, staff, one } = await aThread()
    const instructor = await aMember(forum.db, course, 'instructor')
    const ofStaff = await anAnswer(forum.db, { question, author: instructor })
    const page = (await (await signedIn(forum.app, staff)).get(questionPath(question))).body
    assert.ok(page.includes(`action="/answers/${one.id}/endorsement"`))
    assert.ok(!page.includes(`action="/answers/${ofStaff.id}/endorsement"`))
    const asker = await signedIn(forum.app, question.authorId)
    assert.ok(!(await asker.get(questionPath(question))).body.includes('/endorsement"'))
  })
})
