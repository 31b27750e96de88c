import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Changes } from '../changes/changes.ts'
import { atEnd } from '../testing/at-end.ts'
import { aCourse, aPerson, aQuestion } from '../testing/builders.ts'
import { addressOf, testDatabase } from '../testing/database.ts'
import { recordStatements } from '../testing/statements.ts'
import { findOnlyCourse } from './choices.ts'
import { addMember } from './commands.ts'
import { KeptCourses } from './kept-courses.ts'
import { findCourse } from './queries.ts'
import { readableCourses } from './readable.ts'

test('kept courses say what the queries say, for everybody, after each change', async (t) => {
  const db = await testDatabase(t)
  const changes = new Changes(addressOf(db))
  await changes.open()
  atEnd(t, () => changes.close())
  const courses = new KeptCourses(db, changes)
  const [member, admin] = [await aPerson(db), { id: 9, isAdmin: true, roles: {} }]
  const open = await aCourse(db, { slug: 'open' })
  const steps: (() => Promise<unknown>)[] = [
    async () => {},
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
      assert.equal(readable.share, expected.share)
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
