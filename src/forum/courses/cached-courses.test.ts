import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readableCourses } from '../../kernel/rights/visibility.ts'
import { atEnd } from '../../testing/at-end.ts'
import { aCourse, aPerson, aQuestion } from '../../testing/builders.ts'
import { addressOf, testDatabase } from '../../testing/database.ts'
import { recordStatements } from '../../testing/statements.ts'
import { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { CachedCourses } from './cached-courses.ts'
import { findOnlyCourse } from './choices.ts'
import { addMember } from './commands.ts'
import { findCourse } from './queries.ts'

test('cached courses say what the queries say, for everybody, after each change', async (t) => {
  const { db, changes, courses } = await cachedCourses(t)
  const [member, admin] = [await aPerson(db), { id: 9, isAdmin: true, roles: {} }]
  const open = await aCourse(db, { slug: 'open' })
  const steps: (() => Promise<unknown>)[] = [
    async () => {},
    () => db.updateTable('courses').set({ synonyms: 'pod = 파드' }).where('id', '=', open.id).execute(),
    () => aQuestion(db, { course: open }),
    () => aCourse(db, { slug: 'closed', isPublic: false }),
    async () => aQuestion(db, { course: await aCourse(db, { slug: 'other' }) }),
    () => db.updateTable('courses').set({ is_public: false }).where('id', '=', open.id).execute(),
    () => db.transaction().execute((write) => addMember(write, open.id, member.id, 'learner')),
  ]
  for (const [number, step] of steps.entries()) {
    await step()
    await changes.caughtUp()
    for (const viewer of [
      null,
      admin,
      { id: member.id, isAdmin: false, roles: { [open.id]: 'learner' as const } },
    ]) {
      const readable = await courses.readable(viewer)
      const expected = await readableCourses(db, viewer)
      assert.deepEqual(readable.ids.toSorted(), expected.ids.toSorted(), `step ${number}`)
      assert.deepEqual([readable.share, readable.synonyms], [expected.share, expected.synonyms])
      assert.equal(await courses.findOnlyCourse(viewer), await findOnlyCourse(db, viewer))
    }
    for (const slug of ['open', 'closed', 'nothing', '\0'])
      assert.deepEqual((await courses.findCourse(slug))?.title, (await findCourse(db, slug))?.title)
  }
  const statements = recordStatements(t)
  await courses.readable(null)
  await courses.findCourse('open')
  assert.equal(statements.length, 0)
})
test('a course is found as soon as it is made, whether or not its news has come', async (t) => {
  const { db, courses } = await cachedCourses(t)
  assert.equal(await courses.findCourse('fresh'), null)
  const { id } = await aCourse(db, { slug: 'fresh' })
  assert.equal((await courses.findCourse('fresh'))?.id, id)
})

async function cachedCourses(t: TestContext) {
  const db = await testDatabase(t)
  const changes = new ChangeFeed(addressOf(db))
  await changes.open()
  atEnd(t, () => changes.close())
  const courses = new CachedCourses(db, changes)
  return { db, changes, courses }
}
