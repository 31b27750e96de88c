import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeAddress } from '../../accounts/address/address.ts'
import { anAnswer } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aDumpQuestion, type DumpOptions, importDump } from '../../testing/dumps.ts'
import { rowOf, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'

test('people who wrote something are a name: nobody’s account, in no course', async (t) => {
  const db = await testDatabase(t)
  await importDump(t, db, {
    users: [{ Id: 7, DisplayName: `  Ada\u202E ${'x'.repeat(60)}`, CreationDate: '2018-03-09T18:48:09.477' }],
  })
  const person = await db.selectFrom('people').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([person.email, person.password_hash, person.questions_count], [null, null, 1])
  assert.equal(person.display_name, `Ada ${'x'.repeat(45)}…`)
  assert.deepEqual(person.joined_at, new Date('2018-03-09T18:48:09.477Z'))
  assert.equal(person.is_unclaimed, true)
  assert.deepEqual(await db.selectFrom('course_members').selectAll().execute(), [])
})

test('who gets the account follows what they asked there, and what a newer dump brings', async (t) => {
  const db = await testDatabase(t)
  const [first, second] = [aDumpQuestion({ Id: 1, OwnerUserId: 7 }), aDumpQuestion({ Id: 2, OwnerUserId: 7 })]
  const followed = async () =>
    (await db.selectFrom('question_follows').select('level').execute()).map(({ level }) => level)
  await importDump(t, db, { posts: [first] })
  assert.deepEqual(await followed(), [], 'nobody can sign in')
  const asker = await db.selectFrom('people').select('id').executeTakeFirstOrThrow()
  await within(db, takeAddress, { personId: asker.id, email: 'ada@example.org', squatterId: null })
  assert.deepEqual(await followed(), ['follow'])
  const { id, course_id: courseId, title } = await rowOf(db, 'questions', { author_id: asker.id })
  await anAnswer(db, { question: { id, courseId, title, authorId: asker.id } })
  assert.equal((await rowOf(db, 'notifications', { person_id: asker.id })).reason, 'answered')
  await importDump(t, db, { posts: [first, second] })
  assert.equal((await followed()).length, 3, 'the answerer follows as well')
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
  const people = await db.selectFrom('people').selectAll().execute()
  const asked = people.map((person) => [person.display_name, person.questions_count])
  assert.deepEqual(Object.fromEntries(asked), { 'Former member': 1, user313: 2, user99: 1, Мסž: 1 })
  assert.equal(people.length, 4)
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
  assert.deepEqual(valuesOf(people, 'display_name'), ['Anonymous 1 (user7)', 'Former member'])
})
