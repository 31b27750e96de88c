import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setAudience } from '../../testing/audience.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { setFollowing } from '../follows/following.ts'
import { MAX_PINS, pinQuestion } from '../posts/pin.ts'
import { hidePost } from '../posts/removal.ts'
import { setDuplicate } from './duplicates.ts'

const daysAhead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

suite('duplicates and pins', () => {
  const forum = sharedForum()

  async function someQuestions() {
    const { app, db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const [one, two, three] = [
      await aQuestion(db, { course }),
      await aQuestion(db, { course }),
      await aQuestion(db, { course }),
    ]
    const browser = await signedIn(app, staff)
    const link = async (question: MadeQuestion, of: string | number) =>
      (await browser.post(`/questions/${question.id}/duplicate`, { of })).statusCode
    return { course, staff, one, two, three, browser, link }
  }
  const originalOf = async ({ id }: MadeQuestion) =>
    (
      await forum.db
        .selectFrom('questions')
        .select('duplicate_of')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).duplicate_of

  test('a duplicate leads to the end of a chain, whichever link comes first, and never in a circle', async () => {
    const { one, two, three, link } = await someQuestions()
    assert.equal(await link(one, two.id), 303)
    assert.equal(await link(two, `http://localhost:3000${questionPath(three)}`), 303)
    assert.equal(await originalOf(one), three.id, 'what led to it moves on')
    assert.equal(await link(three, one.id), 422, 'that would be a circle')
    assert.equal(await link(two, two.id), 422)
    assert.equal(await link(two, ''), 303)
    assert.equal(await originalOf(two), null)
    assert.equal(await link(two, one.id), 303)
    assert.equal(await originalOf(two), three.id, 'the end of the chain')
  })

  test('only a question of the course that all who read this one may read', async () => {
    const { one, two, three, link } = await someQuestions()
    const elsewhere = await aQuestion(forum.db)
    await forum.db.updateTable('questions').set({ audience: 'staff' }).where('id', '=', two.id).execute()
    await within(forum.db, deleteQuestion, three.id)
    for (const named of [elsewhere.id, two.id, three.id, 999_999_999, 'nonsense', 'https://evil.example/12'])
      assert.equal(await link(one, named), 422, String(named))
    assert.equal(await originalOf(one), null)
  })

  test('what is deleted or hidden cannot be linked to, as if it was never there; only what is private is called so', async () => {
    const { staff, one, two, three } = await someQuestions()
    const refusal = ({ id }: MadeQuestion) =>
      within(forum.db, setDuplicate, { questionId: one.id, originalId: id, actorId: staff.id })
    await setAudience(forum.db, two.id, 'staff')
    assert.equal(await refusal(two), 'private')
    await within(forum.db, hidePost, { table: 'questions', id: two.id })
    await within(forum.db, deleteQuestion, three.id)
    for (const gone of [two, three]) assert.equal(await refusal(gone), 'unknown')
  })

  test('the page says where the answers are, the list that it is one, and canonical points on', async () => {
    const { course, staff, one, two, link } = await someQuestions()
    await anAnswer(forum.db, { question: two })
    await link(one, two.id)
    const { body } = await visitor(forum.app).get(questionPath(one))
    assert.ok(body.includes(`${staff.displayName} linked this to`))
    assert.ok(body.includes(`<link rel="canonical" href="http://localhost:3000${questionPath(two)}"`))
    assert.match((await visitor(forum.app).get(`/courses/${course.slug}`)).body, /Duplicate/)
    await within(forum.db, deleteQuestion, two.id)
    const after = (await visitor(forum.app).get(questionPath(one))).body
    assert.ok(!after.includes('linked this to') && !after.includes(two.title), 'the other one is deleted')
    assert.equal(await originalOf(one), null, 'and this one waits again')
  })

  test('asker and followers follow the other one; the asker takes it back, a classmate cannot', async () => {
    const { one, two, link } = await someQuestions()
    const follower = await aPerson(forum.db)
    await within(forum.db, setFollowing, one.id, follower.id, 'follow')
    await link(one, two.id)
    const followers = await forum.db
      .selectFrom('question_follows')
      .select('person_id')
      .where('question_id', '=', two.id)
      .execute()
    const ids = followers.map(({ person_id }) => person_id)
    assert.ok(ids.includes(follower.id) && ids.includes(one.authorId))
    const path = `/questions/${one.id}/duplicate`
    assert.equal((await (await signedIn(forum.app, follower)).post(path, { of: '' })).statusCode, 403)
    const asker = await signedIn(forum.app, one.authorId)
    assert.equal((await asker.post(path, { of: two.id })).statusCode, 403)
    assert.equal((await asker.post(path, { of: '' })).statusCode, 303)
    assert.equal(await originalOf(one), null)
  })

  test('pinned questions come first in the list of their course, five at most, until their day is over', async () => {
    const { course, one, browser } = await someQuestions()
    const pin = async (question: MadeQuestion, fields: Record<string, string> = {}) =>
      (await browser.post(`/questions/${question.id}/pin`, fields)).statusCode
    const first = async () => {
      const { body } = await visitor(forum.app).get(`/courses/${course.slug}`)
      return [
        /question-row pinned[\s\S]*?<a href="([^"]+)"/.exec(body)?.[1],
        body.split(`href="${questionPath(one)}"`).length - 1,
      ]
    }
    assert.deepEqual(await first(), [undefined, 1])
    assert.equal(await pin(one), 303)
    assert.deepEqual(await first(), [questionPath(one), 1], 'first, and only there')
    for (const until of ['2020-01-01', 'x', '2026-02-31']) assert.equal(await pin(one, { until }), 422)
    for (let count = 2; count <= 5; count += 1)
      assert.equal(await pin(await aQuestion(forum.db, { course }), { until: daysAhead(2) }), 303)
    const sixth = await aQuestion(forum.db, { course })
    assert.equal(await pin(sixth), 422)
    assert.equal(await pin(one, { until: daysAhead(30) }), 303, 'it has a place already')
    await forum.db
      .updateTable('pins')
      .set({ until: new Date(Date.now() - 1000) })
      .execute()
    assert.deepEqual(await first(), [undefined, 1], 'it ended by itself')
    assert.equal(await pin(sixth), 303)
    assert.equal(await pin(sixth, { until: '' }), 303)
    assert.deepEqual(await first(), [undefined, 1])
  })

  test('of two who pin at once one gets the last place', async () => {
    const { db } = forum
    const { course, staff, one, two } = await someQuestions()
    const pinOf = ({ id }: MadeQuestion) => {
      return { questionId: id, until: '2999-12-31', timeZone: 'UTC', actorId: staff.id }
    }
    for (let count = 1; count < MAX_PINS; count += 1)
      await within(db, pinQuestion, pinOf(await aQuestion(db, { course })))
    const { slower } = await db.transaction().execute(async (write) => {
      assert.equal(await pinQuestion(write, pinOf(one)), 'done')
      const slower = within(db, pinQuestion, pinOf(two))
      await Promise.race([slower, untilWaiting(db)])
      return { slower }
    })
    assert.equal(await slower, 'full')
  })

  test('staff find it all in the menu of a question, others do not', async () => {
    const { one, browser } = await someQuestions()
    const path = questionPath(one)
    const ofStaff = (await browser.get(path)).body
    for (const act of ['assignment', 'snooze', 'duplicate', 'pin'])
      assert.ok(ofStaff.includes(`action="/questions/${one.id}/${act}"`), act)
    const asker = await signedIn(forum.app, one.authorId)
    assert.ok(!(await asker.get(path)).body.includes('/assignment"'))
  })
})
