import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../database/migrate.ts'
import { newDatabase, testDatabase } from '../../testing/database.ts'
import { aDump, aDumpAnswer, aDumpQuestion, importStackExchange } from '../../testing/dumps.ts'
import { anEarlierTalk, becomeEarlier } from '../../testing/earlier-release.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'

test('what an earlier version imported is of its course’s site, also what it imports during an upgrade', async (t) => {
  const { db } = await newDatabase(t)
  await becomeEarlier(db)
  await sql`drop trigger imported_posts_name on imported_posts; drop trigger imported_people_name on imported_people`.execute(
    db,
  )
  const { courseId, authorId, questionId } = await anEarlierTalk(db)
  const imported = async (id: number, question: number | null) => {
    await sql`insert into imported_posts (course_id, kind, source_id, question_id) values (${courseId}, 'question', ${id}, ${question})`.execute(
      db,
    )
  }
  await imported(7, questionId)
  await imported(8, null)
  await sql`insert into imported_people (course_id, source_id, person_id) values (${courseId}, 7, ${authorId})`.execute(
    db,
  )
  await sql`insert into course_members (course_id, person_id, role) values (${courseId}, ${authorId}, 'learner')`.execute(
    db,
  )
  await migrate(db)
  await imported(9, null)
  const known = (await rowsOf(db, 'imported_posts', { course_id: courseId })).map(
    ({ source, origin, external_id }) => [source, origin, external_id],
  )
  assert.deepEqual(
    known.sort(),
    ['7', '8', '9'].map((id) => ['stackexchange', 'rest', id]),
  )
  const [person] = await rowsOf(db, 'imported_people', { person_id: authorId })
  assert.deepEqual([person?.source, person?.origin, person?.external_id], ['stackexchange', 'rest', '7'])
  // A name and no learner, as those whom this version imports.
  const [{ is_unclaimed: isUnclaimed } = {}] = await rowsOf(db, 'people', { id: authorId })
  assert.deepEqual([isUnclaimed, await rowsOf(db, 'course_members', {})], [true, []])
})

test('two sites in one course share numbers and nothing else, and a dump of unknown origin is refused', async (t) => {
  const db = await testDatabase(t)
  const dump = { posts: [aDumpQuestion({ Id: 1 }), aDumpAnswer({ Id: 2 })] }
  const course = { slug: 'physics', title: 'Physics' }
  const from = async (origin?: string) =>
    importStackExchange(db, { folder: await aDump(t, dump), course, ...(origin !== undefined && { origin }) })
  await from('one.example')
  await assert.rejects(
    from(),
    /the course has posts of one\.example: add --origin one\.example to go on with it/,
  )
  await from('other.example')
  await from('one.example')
  const posts = await rowsOf(db, 'imported_posts', {})
  assert.equal(posts.length, 4)
  assert.equal((await rowsOf(db, 'questions', {})).length, 2)
  assert.deepEqual(valuesOf(await rowsOf(db, 'people', {}), 'display_name'), ['Ada', 'Ada'])
})
