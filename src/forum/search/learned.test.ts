import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { testApp } from '../../testing/app.ts'
import { setAudience } from '../../testing/audience.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { setDuplicate } from '../desk/duplicates.ts'
import { parseQuery } from './query.ts'
import { search } from './search.ts'
import { findSimilar } from './similar/similar.ts'
import { refreshStatistics } from './statistics.ts'

const TARGET = 'Container cannot reach the database'
const OTHERS = 'Connection refused by postgres on localhost'
const LIKE_OTHERS = 'postgres connection refused'

async function aField(db: Database) {
  const course = await aCourse(db)
  const staff = await aMember(db, course, 'instructor')
  const target = await aQuestion(db, { course, title: TARGET })
  for (let count = 0; count < 6; count += 1)
    await aQuestion(db, { course, title: `Nothing of the kind ${count}` })
  const similarTo = async (title: string, viewer: { id: number } | null = null) => {
    const actor =
      viewer === null ? null : { id: viewer.id, isAdmin: false, roles: { [course.id]: 'learner' as const } }
    const found = await findSimilar(db, actor, {
      title,
      body: '',
      tags: [],
      courseId: course.id,
      exceptId: null,
    })
    return found.map((one) => one.id)
  }
  const link = (questionId: number, originalId: number | null) =>
    within(db, setDuplicate, { questionId, originalId, actorId: staff.id })
  return { course, staff, target, similarTo, link }
}

test('the words of a confirmed duplicate lead to the question that answers it, until the link or the duplicate goes', async (t) => {
  const db = await testDatabase(t)
  const { course, target, similarTo, link } = await aField(db)
  const other = await aQuestion(db, { course, title: OTHERS })
  assert.deepEqual(await similarTo(LIKE_OTHERS), [other.id])
  await link(other.id, target.id)
  assert.deepEqual(await similarTo(LIKE_OTHERS), [target.id])
  await link(other.id, null)
  assert.deepEqual(await similarTo(LIKE_OTHERS), [other.id])
  await link(other.id, target.id)
  await setRows(db, 'questions', other.id, { deleted_at: new Date() })
  assert.deepEqual(await similarTo(LIKE_OTHERS), [])
})

test('a private duplicate teaches nothing, and its words are found by nobody', async (t) => {
  const db = await testDatabase(t)
  const { course, staff, target, link } = await aField(db)
  const asker = await aMember(db, course, 'learner')
  const kept = await aQuestion(db, {
    course,
    author: asker,
    title: 'Zyzzogeton of postgres refuses',
    body: 'Quokkalike.',
  })
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
        assert.doesNotMatch(
          body,
          new RegExp(`/questions/${target.id}/|/questions/${kept.id}/|Zyzzogeton`),
          path,
        )
      }
})

test('one account that links fifty duplicates changes no order', async (t) => {
  const db = await testDatabase(t)
  const { course, target, similarTo, link } = await aField(db)
  const rivals: { readonly id: number }[] = []
  for (const title of [
    'How do I write a mock for a clock?',
    'Mock a clock in a test',
    'Clock of the server is wrong',
  ])
    rivals.push(await aQuestion(db, { course, title }))
  const order = async () => ({
    similar: await similarTo('Mock the clock'),
    found: (await search(db, null, parseQuery('clock'))).hits.map(({ id }) => id),
  })
  const author = await aMember(db, course, 'learner')
  const stuffed = []
  for (let count = 0; count < 50; count += 1)
    stuffed.push(await aQuestion(db, { course, author, title: `Gibberish ${count} about a clock` }))
  const before = await order()
  for (const { id } of stuffed) await link(id, target.id)
  const after = await order()
  assert.deepEqual(after.found, before.found)
  const isRival = (id: number) => rivals.some((rival) => rival.id === id)
  assert.ok(before.similar.filter(isRival).length >= 2)
  assert.deepEqual(after.similar.filter(isRival).slice(0, 2), before.similar.filter(isRival).slice(0, 2))
  assert.ok(
    after.similar.indexOf(target.id) > 1 || !after.similar.includes(target.id),
    'nor comes the target before them',
  )
})
