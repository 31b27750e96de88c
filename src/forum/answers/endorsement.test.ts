import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'

suite('endorsing answers', () => {
  const forum = sharedForum()
  const endorserOf = async ({ id }: { id: number }) => {
    const query = forum.db.selectFrom('answers').select(['endorsed_by', 'endorsed_at']).where('id', '=', id)
    const { endorsed_by, endorsed_at } = await query.executeTakeFirstOrThrow()
    assert.equal(endorsed_by === null, endorsed_at === null)
    return endorsed_by
  }
  async function aThread() {
    const { app, db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course })
    const author = await aPerson(db)
    const [one, other] = [await anAnswer(db, { question, author }), await anAnswer(db, { question })]
    return { course, question, staff, author, one, other, browser: await signedIn(app, staff) }
  }
  const endorse = async (
    browser: Awaited<ReturnType<typeof signedIn>>,
    answer: { id: number },
    value: number | string,
  ) => {
    const answered = await browser.post(`/answers/${answer.id}/endorsement`, { value })
    return answered.statusCode
  }

  test('staff endorse several answers, and take it back; who endorsed first is kept', async () => {
    const { course, staff, one, other, browser } = await aThread()
    const answered = await browser.post(`/answers/${one.id}/endorsement`, { value: 1 })
    assert.equal(answered.statusCode, 303)
    assert.ok(String(answered.headers.location).endsWith(`#answer-${one.id}`))
    assert.equal(await endorse(browser, other, 1), 303)
    assert.deepEqual([await endorserOf(one), await endorserOf(other)], [staff.id, staff.id])
    const colleague = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    await endorse(colleague, one, 1)
    assert.equal(await endorserOf(one), staff.id)
    await endorse(colleague, one, 0)
    assert.deepEqual([await endorserOf(one), await endorserOf(other)], [null, staff.id])
    for (const value of ['', '2', 'yes']) assert.equal(await endorse(browser, one, value), 422)
  })

  test('neither verdict undoes the other', async () => {
    const { question, staff, one, browser } = await aThread()
    const asker = await signedIn(forum.app, question.authorId)
    const accepted = async () => {
      const query = forum.db
        .selectFrom('questions')
        .select('accepted_answer_id')
        .where('id', '=', question.id)
      return (await query.executeTakeFirstOrThrow()).accepted_answer_id
    }
    await endorse(browser, one, 1)
    await asker.post(`/answers/${one.id}/acceptance`, { value: 1 })
    assert.equal(await endorserOf(one), staff.id)
    await endorse(browser, one, 0)
    assert.equal(await accepted(), one.id)
    await endorse(browser, one, 1)
    await asker.post(`/answers/${one.id}/acceptance`, { value: 0 })
    assert.deepEqual([await accepted(), await endorserOf(one)], [null, staff.id])
  })

  test('an edit by a learner clears it, one by staff does not', async () => {
    const { staff, one, author, browser } = await aThread()
    const edit = async (by: typeof browser, version: number) => {
      const page = `/answers/${one.id}/edit`
      const fields = { body: `Version ${version + 1}.`, version }
      assert.equal((await by.post(page, fields, { page })).statusCode, 303)
    }
    await endorse(browser, one, 1)
    await edit(browser, 1)
    assert.equal(await endorserOf(one), staff.id)
    await edit(await signedIn(forum.app, author), 2)
    assert.equal(await endorserOf(one), null)
  })

  test('it shows on the page, in lists, in the search and in structured data, until it is taken back', async () => {
    const { course, question, staff, one, browser } = await aThread()
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
    await endorse(browser, one, 1)
    assert.deepEqual(await shown(), all(true))
    await within(forum.db, deleteAnswer, question.id, one.id)
    assert.deepEqual(await shown(), all(false), 'the answer is deleted')
  })

  test('staff are offered it under what learners wrote, and learners are not', async () => {
    const { course, question, one, browser } = await aThread()
    const ofStaff = await anAnswer(forum.db, {
      question,
      author: await aMember(forum.db, course, 'instructor'),
    })
    const page = (await browser.get(questionPath(question))).body
    assert.ok(page.includes(`action="/answers/${one.id}/endorsement"`))
    assert.ok(!page.includes(`action="/answers/${ofStaff.id}/endorsement"`))
    const asker = await signedIn(forum.app, question.authorId)
    assert.ok(!(await asker.get(questionPath(question))).body.includes('/endorsement"'))
  })
})
