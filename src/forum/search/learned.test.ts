import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { setAudience } from '../../testing/audience.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { setDuplicate } from '../desk/duplicates.ts'
import { refreshStatistics } from './statistics.ts'
import { aCourseOf, idsFound, similarTo } from './testing.ts'

const TARGET = 'Container cannot reach the database'
const OTHERS = 'Connection refused by postgres on localhost'
const LIKE_OTHERS = 'postgres connection refused'

async function aField(t: TestContext) {
  const others = Array.from({ length: 6 }, (_, count) => `Nothing of the kind ${count}`)
  const { db, course, questions } = await aCourseOf(t, [TARGET, ...others])
  const [target = assert.fail()] = questions
  const staff = await aMember(db, course, 'instructor')
  const like = async (title: string) => (await similarTo(db, course, title)).map(({ id }) => id)
  const link = (questionId: number, originalId: number | null) =>
    within(db, setDuplicate, { questionId, originalId, actorId: staff.id })
  return { db, course, staff, target, like, link }
}

test('the words of a confirmed duplicate lead to the question that answers it, until the link or the duplicate goes', async (t) => {
  const { db, course, target, like, link } = await aField(t)
  const other = await aQuestion(db, { course, title: OTHERS })
  assert.deepEqual(await like(LIKE_OTHERS), [other.id])
  await link(other.id, target.id)
  assert.deepEqual(await like(LIKE_OTHERS), [target.id])
  await link(other.id, null)
  assert.deepEqual(await like(LIKE_OTHERS), [other.id])
  await link(other.id, target.id)
  await setRows(db, 'questions', other.id, { deleted_at: new Date() })
  assert.deepEqual(await like(LIKE_OTHERS), [])
})

test('a private duplicate teaches nothing, and its words are found by nobody', async (t) => {
  const { db, course, staff, target, link } = await aField(t)
  const asker = await aMember(db, course, 'learner')
  const title = 'Zyzzogeton of postgres refuses'
  const kept = await aQuestion(db, { course, author: asker, title, body: 'Quokkalike.' })
  await setAudience(db, kept.id, 'staff')
  await link(kept.id, target.id)
  await refreshStatistics(db)
  const app = await testApp(t, db)
  const classmate = await signedIn(app, await aMember(db, course, 'learner'))
  const outsider = await signedIn(app, await aPerson(db))
  for (const reader of [visitor(app), classmate, outsider, await signedIn(app, staff)])
    for (const word of ['zyzzogeton', 'quokkalike', 'zyzzogetom'])
      for (const path of [
        `/search?q=${word}`,
        `/search/suggestions?q=${word}`,
        `/questions/similar?course=${course.slug}&title=${word}+of+it`,
      ]) {
        const { body } = await reader.get(path)
        for (const part of [`/questions/${target.id}/`, `/questions/${kept.id}/`, 'Zyzzogeton'])
          assert.ok(!body.includes(part), path)
      }
})

test('one account that links fifty duplicates changes no order', async (t) => {
  const { db, course, target, like, link } = await aField(t)
  const titles = [
    'How do I write a mock for a clock?',
    'Mock a clock in a test',
    'Clock of the server is wrong',
  ]
  const rivals: number[] = []
  for (const title of titles) rivals.push((await aQuestion(db, { course, title })).id)
  const order = async () => ({ similar: await like('Mock the clock'), found: await idsFound(db, 'clock') })
  const author = await aMember(db, course, 'learner')
  const stuffed = []
  for (let count = 0; count < 50; count += 1)
    stuffed.push(await aQuestion(db, { course, author, title: `Gibberish ${count} about a clock` }))
  const before = await order()
  for (const { id } of stuffed) await link(id, target.id)
  const after = await order()
  assert.deepEqual(after.found, before.found)
  const firstRivals = (ids: readonly number[]) => ids.filter((id) => rivals.includes(id)).slice(0, 2)
  assert.equal(firstRivals(before.similar).length, 2)
  assert.deepEqual(firstRivals(after.similar), firstRivals(before.similar))
  const place = after.similar.indexOf(target.id)
  assert.ok(place === -1 || place > 1, 'nor comes the target before them')
})
