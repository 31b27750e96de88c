import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../testing/database.ts'
import { aDumpQuestion, type DumpOptions, importDump } from '../../testing/dumps.ts'

test('people who wrote something become learners of the course who cannot sign in', async (t) => {
  const db = await testDatabase(t)
  await importDump(t, db, {
    users: [{ Id: 7, DisplayName: `  Ada\u202E ${'x'.repeat(60)}`, CreationDate: '2018-03-09T18:48:09.477' }],
  })
  const person = await db.selectFrom('people').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([person.email, person.password_hash, person.questions_count], [null, null, 1])
  assert.equal(person.display_name, `Ada ${'x'.repeat(45)}…`)
  assert.deepEqual(person.joined_at, new Date('2018-03-09T18:48:09.477Z'))
  const member = await db.selectFrom('course_members').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([member.person_id, member.role], [person.id, 'learner'])
})

test('who left is one person for each name, or is called by their number', async (t) => {
  const db = await testDatabase(t)
  const { OwnerUserId: _, ...ofNobody } = aDumpQuestion()
  const options: DumpOptions = {
    posts: [
      { ...ofNobody, Id: 1, OwnerDisplayName: 'user313' },
      { ...ofNobody, Id: 2, OwnerDisplayName: 'Мסž' },
      { ...ofNobody, Id: 3 },
      aDumpQuestion({ Id: 4, OwnerUserId: 99 }),
    ],
    comments: [{ Id: 1, PostId: 1, Text: 'Me again', UserId: '', UserDisplayName: 'user313' }],
  }
  await importDump(t, db, options)
  await importDump(t, db, {
    ...options,
    posts: [...(options.posts ?? []), { ...ofNobody, Id: 5, OwnerDisplayName: 'user313' }],
  })
  const people = await db
    .selectFrom('people')
    .select(['display_name', 'questions_count'])
    .orderBy('display_name')
    .execute()
  assert.deepEqual(
    people.map((person) => [person.display_name, person.questions_count]),
    [
      ['Former member', 1],
      ['user313', 2],
      ['user99', 1],
      ['Мסž', 1],
    ],
  )
})

test('a name that an account may not have gets a suffix, and is that of a former member where only the name is known', async (t) => {
  const db = await testDatabase(t)
  const { OwnerUserId: _, ...ofNobody } = aDumpQuestion()
  await importDump(t, db, {
    users: [{ Id: 7, DisplayName: 'Anonymous 1', CreationDate: '2018-03-09T18:48:09.477' }],
    posts: [
      aDumpQuestion({ Id: 1, OwnerUserId: 7 }),
      { ...ofNobody, Id: 2, OwnerDisplayName: 'Course staff' },
    ],
  })
  const people = await db.selectFrom('people').select('display_name').orderBy('display_name').execute()
  assert.deepEqual(
    people.map((person) => person.display_name),
    ['Anonymous 1 (user7)', 'Former member'],
  )
})
