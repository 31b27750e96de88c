import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { hidePost } from '../../forum/posts/removal.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { aHearingForum, sharedForum } from '../../testing/forum.ts'
import { recordStatements } from '../../testing/statements.ts'
import { within } from '../../testing/within.ts'
import { aProgram } from './testing.ts'

interface Post {
  readonly id: number
  readonly answers?: Listed
  readonly replies?: Listed
}
interface Listed {
  readonly items: readonly Post[]
  readonly next: string | null
}
const ids = (list: Listed | undefined) => list?.items.map(({ id }) => id)

suite('include', () => {
  const forum = sharedForum()

  test('puts the first posts below each post into it, and says where the rest is', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const answers = []
    const top = await anAnswer(db, { question })
    const first = top.id
    answers.push(first)
    for (let count = 1; count < 12; count += 1) answers.push((await anAnswer(db, { question })).id)
    const replies = []
    for (let count = 0; count < 11; count += 1) replies.push((await aReply(db, { answer: top })).id)
    const direct = await aReply(db, { question })
    const program = aProgram(forum.app)
    const path = `/questions/${question.id}`
    const read = async (at: string): Promise<Post> => (await program.get(at)).json()
    const plain = await read(path)
    assert.ok(!('answers' in plain) && !('replies' in plain))
    const whole = await read(`${path}?include=answers,replies`)
    assert.deepEqual(ids(whole.answers), answers.slice(0, 10))
    assert.deepEqual([ids(whole.replies), whole.replies?.next], [[direct.id], null])
    const [begun, other] = whole.answers?.items ?? []
    assert.deepEqual([ids(begun?.replies), ids(other?.replies)], [replies.slice(0, 10), []])
    assert.equal(other?.replies?.next, null)
    for (const [next, rest] of [
      [whole.answers?.next, answers.slice(10)],
      [begun?.replies?.next, replies.slice(10)],
    ] as const) {
      const { pathname, search } = new URL(next ?? '')
      const list = (await program.get(`${pathname.replace('/api/v1', '')}${search}`)).json()
      assert.deepEqual(ids(list), rest)
    }
    const listed = (await program.get(`${path}/answers?include=replies&limit=3`)).json()
    assert.deepEqual(ids(listed), answers.slice(0, 3))
    assert.deepEqual(ids(listed.items[0].replies), replies.slice(0, 10))
    const one = await read(`/answers/${first}?include=replies`)
    assert.deepEqual(ids(one.replies), replies.slice(0, 10))
    const ofCourse = (await program.get(`/courses/${course.slug}/questions?include=answers`)).json()
    assert.deepEqual(ids(ofCourse.items[0].answers), answers.slice(0, 10))
    assert.ok(!('replies' in ofCourse.items[0]))
    for (const wrong of ['votes', 'answers,answers', 'answers%20', 'answers&include=replies'])
      assert.equal((await program.get(`${path}?include=${wrong}`)).statusCode, 400, wrong)
    assert.equal((await program.get(`/answers/${first}?include=answers`)).statusCode, 400)
  })

  test('holds no more than a page can, of several posts some of each', async () => {
    const course = await aCourse(forum.db)
    const questions = []
    for (let count = 0; count < 25; count += 1) questions.push(await aQuestion(forum.db, { course }))
    const body = 'x'.repeat(30_000)
    for (const question of questions.slice(20))
      for (let count = 0; count < 5; count += 1) await anAnswer(forum.db, { question, body })
    const path = `/courses/${course.slug}/questions?include=answers&limit=100`
    const { items, size } = await aProgram(forum.app)
      .get(path)
      .then((answer) => ({ items: answer.json().items as Post[], size: answer.body.length }))
    assert.equal(items.length, 20)
    assert.ok(size < 1_300_000)
    const lists = items.slice(0, 5).map(({ answers }) => answers)
    assert.ok(lists.every((list) => list !== undefined && list.items.length >= 2 && list.items.length < 5))
    assert.ok(lists.every((list) => list?.next?.includes('/answers?cursor=')))
  })

  test('shows what its reader may see, by one query a level, and nothing stale from the cache', async (t) => {
    const { app, db, changes } = await aHearingForum(t)
    const course = await aCourse(db)
    const [staff, learner] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
    const question = await aQuestion(db, { course, answers: 2 })
    const hidden = await anAnswer(db, { question })
    await aReply(db, { answer: hidden })
    await within(db, hidePost, { table: 'answers', id: hidden.id })
    const path = `/questions/${question.id}?include=answers,replies`
    const all = aProgram(app, await aToken({ db }, staff, ['read', 'staff']))
    const readers = [aProgram(app), aProgram(app, await aToken({ db }, learner))]
    await changes.caughtUp()
    for (let count = 0; count < 2; count += 1)
      for (const reader of readers) assert.equal((await reader.get(path)).json().answers.items.length, 2)
    assert.equal((await all.get(path)).json().answers.items[2].replies.items.length, 1)
    const statements = recordStatements(t)
    const asked = async (at: string) => {
      await all.get(at)
      statements.length = 0
      await all.get(at)
      return statements.filter((text) => !text.includes('from jobs')).length
    }
    assert.equal(await asked(`/questions/${question.id}`), 1)
    assert.equal(await asked(path), 3)
    assert.equal(await asked(`/courses/${course.slug}/questions?include=answers,replies`), 3)
    const added = await anAnswer(db, { question })
    await changes.caughtUp()
    assert.deepEqual(ids((await aProgram(app).get(path)).json().answers)?.at(-1), added.id)
  })
})
