import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { testApp } from '../../testing/app.ts'
import { aCourse } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aForum } from '../../testing/forum.ts'
import { reportLines } from './report.ts'
import { isFresh, simulate } from './simulate.ts'

const SCENARIO = { weeks: 1, learners: 500, staff: 2, seed: 7 }

test('a simulated week is on the forum as its report says, the same for the same seed', async (t) => {
  const { app, db } = await aForum(t)
  const begunAt = new Date().toISOString()
  let days = 0
  const report = await simulate(app, SCENARIO, () => {
    days += 1
  })
  assert.equal(days, 7)

  const count = async (text: string) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.raw(text)}`.execute(db)
    return rows[0]?.count
  }
  const byStaff = `a.author_id in (select person_id from course_members where role <> 'learner')`
  assert.ok(report.questions > 10)
  assert.equal(await count('questions'), report.questions)
  assert.equal(await count(`answers as a where ${byStaff}`), report.acts.answered)
  assert.equal(await count('questions where duplicate_of is not null'), report.acts.linked)
  assert.equal(await count(`replies as a where ${byStaff}`), report.acts['asked back'])
  assert.equal(await count('answers where endorsed_at is not null'), report.acts.endorsed)
  const seenByStaff = `question_desk as desk join questions as q on q.id = desk.question_id
    where desk.first_staff_at is not null or q.duplicate_of is not null`
  assert.equal(await count(seenByStaff), report.staffAnswer.count)
  assert.equal(await count('question_desk where waiting_since is not null'), report.waiting)
  assert.ok(report.acts.answered > 0 && report.acts.endorsed > 0)

  // A spammer and a rude person came, people reported them, and staff hid what they wrote.
  const { accounts, posts, refused, reports, median, longest, stillVisible } = report.offences
  assert.equal(accounts, 2)
  assert.equal(
    await count(`answers as a where a.author_id in (select id from people where email ~ '^(spam|rude)-')`),
    posts,
  )
  assert.equal(await count('answers where hidden_at is not null'), posts - stillVisible)
  assert.equal(await count(`cases where state = 'upheld'`), report.acts.decided)
  assert.equal(await count('reports'), reports)
  assert.equal(await count(`people where id in (select person_id from measures where kind = 'suspend')`), 1)
  assert.ok(refused > 0 && posts > 2 && reports >= posts - stillVisible, JSON.stringify(report.offences))
  const { rows: visible } = await sql<{ longest: number }>`
    select max(extract(epoch from hidden_at - written_at)) / 3600 as longest from answers`.execute(db)
  assert.ok(0 < median && median <= longest && longest < 7 * 24)
  assert.ok(stillVisible > 0 || Math.abs(Number(visible[0]?.longest) - longest) < 0.01)

  // All of it happened within the week, which is over, and every counter is what it counts.
  const late = `(select written_at from questions union all select written_at from answers union all
    select written_at from replies union all select resolved_at from questions) as post
    where written_at >= '${begunAt}'`
  assert.equal(await count(late), 0)
  assert.deepEqual(await recount(db), [])

  // Everybody was told what they may and wish to know, and nothing else.
  assert.deepEqual(report.told.differences, [])
  for (const { what, found } of report.told.counts) assert.ok(found > 20, `${what}: ${found}`)

  const again = await simulate(await testApp(t, await testDatabase(t)), SCENARIO, () => undefined)
  assert.deepEqual(reportLines(again), reportLines(report))
})

test('a forum that somebody uses is none to simulate on', async (t) => {
  const db = await testDatabase(t)
  assert.equal(await isFresh(db), true)
  await aCourse(db)
  assert.equal(await isFresh(db), false)
})
