import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { TERMS, termsTable } from '../../database/terms.ts'
import { setFollowing } from '../../forum/follows/following.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { within } from '../../testing/within.ts'
import { sweeps } from './housekeeping.ts'

test('docs/security.md has the table of terms that the sweeps go by', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../docs/security.md'), 'utf8')
  assert.ok(text.includes(termsTable()), `docs/security.md should have:\n${termsTable()}`)
})

test('strangers’ addresses, empty unconfirmed accounts and old notifications go after their term, and no others', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  for (const email of ['old@example.org', 'new@example.org'])
    await db.insertInto('pending_roles').values({ course_id: course.id, email, role: 'learner' }).execute()
  await sql`update pending_roles set given_at = now() - interval '181 days' where email like 'old%'`.execute(
    db,
  )

  const unconfirmed = () => aPerson(db, { isConfirmed: false })
  const [empty, author, voter, here, confirmed] = [
    await unconfirmed(),
    await unconfirmed(),
    await unconfirmed(),
    await unconfirmed(),
    await aPerson(db),
  ]
  const question = await aQuestion(db, { course, author })
  await sql`insert into question_votes (question_id, person_id) values (${question.id}, ${voter.id})`.execute(
    db,
  )
  await beginSession(db, here.id, 'a test')
  await sql`update people set joined_at = now() - interval '2 years'`.execute(db)
  const young = await unconfirmed()

  for (const person of [confirmed, author]) await within(db, setFollowing, question.id, person.id, 'follow')
  await anAnswer(db, { question, author: confirmed })
  await sql`update notifications set happened_at = now() - interval '2 years'`.execute(db)
  await sql`delete from deliveries`.execute(db)
  await anAnswer(db, { question: await aQuestion(db, { author: confirmed }) })
  const told = () => db.selectFrom('notifications').select(['person_id']).execute()
  assert.equal((await told()).length, 2)

  for (const [, sweep] of sweeps()) await sweep(db)
  const roles = await db.selectFrom('pending_roles').select('email').execute()
  assert.deepEqual(roles, [{ email: 'new@example.org' }])
  const left = await db.selectFrom('people').select('id').execute()
  const ids = new Set(left.map(({ id }) => id))
  for (const person of [author, voter, here, confirmed, young]) assert.ok(ids.has(person.id))
  assert.ok(!ids.has(empty.id))
  assert.deepEqual(await told(), [{ person_id: confirmed.id }])
  assert.equal(TERMS.pendingRoles.kept, '180 days')
})
