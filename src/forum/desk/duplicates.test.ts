import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refusalOf } from '../../testing/act.ts'
import { setAudience } from '../../testing/audience.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { aDayAhead } from '../../testing/pass-time.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { setFollowing } from '../follows/following.ts'
import { MAX_PINS, pinQuestion, questionPin } from '../posts/pin.ts'
import { hidePost } from '../posts/removal.ts'
import { questionDuplicate } from './duplicates.ts'

suite('duplicates and pins', () => {
  const forum = sharedForum()

  async function someQuestions() {
    const { app, db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const ask = () => aQuestion(db, { course })
    const [one, two, three] = [await ask(), await ask(), await ask()]
    const browser = await signedIn(app, staff)
    const link = ({ id }: MadeQuestion, of: string | number, actor: { readonly id: number } = staff) => {
      const doing = { actor, key: { id, of: String(of) }, input: { of: String(of) } }
      return refusalOf(forum, questionDuplicate, doing)
    }
    return { course, staff, one, two, three, browser, link }
  }
  const originalOf = async ({ id }: MadeQuestion) => (await rowOf(forum.db, 'questions', id)).duplicate_of

  test('a duplicate leads to the end of a chain, whichever link comes first, and never in a circle', async () => {
    const { one, two, three, link } = await someQuestions()
    assert.equal(await link(one, two.id), 'done')
    assert.equal(await link(two, `http://localhost:3000${questionPath(three)}`), 'done')
    assert.equal(await originalOf(one), three.id, 'what led to it moves on')
    assert.equal(await link(three, one.id), 'of: desk.duplicate.itself', 'that would be a circle')
    assert.equal(await link(two, two.id), 'of: desk.duplicate.itself')
    assert.equal(await link(two, ''), 'done')
    assert.equal(await originalOf(two), null)
    assert.equal(await link(two, one.id), 'done')
    assert.equal(await originalOf(two), three.id, 'the end of the chain')
  })

  test('only a question of the course that all who read this one may read; what is deleted or hidden was never there', async () => {
    const { one, two, three, link } = await someQuestions()
    const elsewhere = await aQuestion(forum.db)
    await setAudience(forum.db, two.id, 'staff')
    assert.equal(await link(one, two.id), 'of: desk.duplicate.private')
    await within(forum.db, hidePost, { table: 'questions', id: two.id })
    await within(forum.db, deleteQuestion, three.id)
    for (const named of [elsewhere.id, two.id, three.id, 999_999_999, 'nonsense', 'https://evil.example/12'])
      assert.equal(await link(one, named), 'of: desk.duplicate.unknown', String(named))
    assert.equal(await originalOf(one), null)
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
    const followers = await rowsOf(forum.db, 'question_follows', { question_id: two.id })
    const ids = new Set(valuesOf(followers, 'person_id'))
    assert.ok(ids.has(follower.id) && ids.has(one.authorId))
    assert.equal(await link(one, '', follower), 'forbidden')
    assert.equal(await link(one, two.id, { id: one.authorId }), 'forbidden')
    assert.equal(await link(one, '', { id: one.authorId }), 'done')
    assert.equal(await originalOf(one), null)
  })

  test('pinned questions come first in the list of their course, five at most, until their day is over', async () => {
    const { course, staff, one } = await someQuestions()
    const pin = ({ id }: MadeQuestion, input: Record<string, string> = {}) =>
      refusalOf(forum, questionPin, { actor: staff, key: id, input })
    const first = async () => {
      const { body } = await visitor(forum.app).get(`/courses/${course.slug}`)
      const pinned = /question-row pinned[\s\S]*?<a href="([^"]+)"/.exec(body)?.[1]
      return [pinned, body.split(`href="${questionPath(one)}"`).length - 1]
    }
    assert.deepEqual(await first(), [undefined, 1])
    assert.equal(await pin(one), 'done')
    assert.deepEqual(await first(), [questionPath(one), 1], 'first, and only there')
    for (const until of ['2020-01-01', 'x', '2026-02-31'])
      assert.equal(await pin(one, { until }), 'until: desk.pin.day')
    for (let count = 2; count <= 5; count += 1)
      assert.equal(await pin(await aQuestion(forum.db, { course }), { until: aDayAhead(2) }), 'done')
    const sixth = await aQuestion(forum.db, { course })
    assert.equal(await pin(sixth), 'until: desk.pin.full')
    assert.equal(await pin(one, { until: aDayAhead(30) }), 'done', 'it has a place already')
    await setRows(forum.db, 'pins', { course_id: course.id }, { until: new Date(Date.now() - 1000) })
    assert.deepEqual(await first(), [undefined, 1], 'it ended by itself')
    assert.equal(await pin(sixth), 'done')
    assert.equal(await pin(sixth, { until: '' }), 'done')
    assert.deepEqual(await first(), [undefined, 1])
  })

  test('of two who pin at once one gets the last place', async () => {
    const { db } = forum
    const { course, staff, one, two } = await someQuestions()
    const pin = { until: '2999-12-31', timeZone: 'UTC', actorId: staff.id }
    const pinOf = ({ id: questionId }: MadeQuestion) => ({ questionId, ...pin })
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
