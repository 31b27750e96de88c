import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testAppThatHears } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { recordStatements } from '../../testing/statements.ts'
import { questionPath } from '../../web/paths.ts'
import { popularQuestions } from './usual-pages.ts'
import { warmUp } from './warm.ts'

test('the usual pages are rendered before the first reader comes, and counted as read by nobody', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  for (let count = 0; count < 6; count += 1) await aQuestion(db, { course, answers: 1 })
  const secret = await aCourse(db, { isPublic: false })
  await aQuestion(db, { course: secret })
  const { app } = await testAppThatHears(t, db)
  assert.deepEqual(await warmUp(app, { isProduction: false }), [])
  const statuses = await warmUp(app, { isProduction: true }, { rounds: 1 })
  assert.ok(statuses.length >= 25, `${statuses.length} pages`)
  assert.deepEqual([...new Set(statuses)], [200])
  const { views } = await db
    .selectFrom('questions')
    .select((eb) => eb.fn.max('views_count').as('views'))
    .executeTakeFirstOrThrow()
  assert.equal(views, 0)
})

test('each round asks the database again, as members and as visitors, so that its connections plan what they will need', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  for (let count = 0; count < 5; count += 1) await aQuestion(db, { course, answers: 1 })
  const { app } = await testAppThatHears(t, db)
  const statements = recordStatements(t)
  const rounds = 4
  await warmUp(app, { isProduction: true }, { rounds })
  const times = (pattern: RegExp) => statements.filter((statement) => pattern.test(statement)).length
  assert.ok(times(/from "sessions"/) >= 5 * rounds)
  assert.ok(times(/from notifications as notice/) >= 5 * rounds)
  // The tree of a question: five of them, for two kinds of readers.
  assert.ok(times(/"q"."accepted_answer_id"/) >= 2 * 5 * rounds)
})

test('who was here a moment ago is known before they come again; who was not is not said to be here', async (t) => {
  const db = await testDatabase(t)
  await aQuestion(db, { answers: 1 })
  const [here, gone] = [await aPerson(db), await aPerson(db)]
  const { app, changes } = await testAppThatHears(t, db)
  const reader = await signedIn(app, here)
  await signedIn(app, gone)
  const left = new Date(Date.now() - 3_600_000)
  await db.updateTable('sessions').set({ last_seen_at: left }).where('person_id', '=', gone.id).execute()
  await changes.caughtUp()
  await warmUp(app, { isProduction: true }, { rounds: 1 })
  const statements = recordStatements(t)
  assert.equal((await reader.get('/tags')).statusCode, 200)
  assert.deepEqual(
    statements.filter((text) => /"sessions"|from people as person/.test(text)),
    [],
  )
  const { seen } = await db
    .selectFrom('sessions')
    .select('last_seen_at as seen')
    .where('person_id', '=', gone.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(seen, left)
})

test('answers are rehearsed by each connection, and leave nothing behind', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  for (let count = 0; count < 5; count += 1) await aQuestion(db, { course, answers: 1 })
  const { app, changes } = await testAppThatHears(t, db)
  await changes.caughtUp()
  const { now } = changes.clock
  const all = async () =>
    (
      await sql`
      select (select jsonb_agg(to_jsonb(a) order by id) from answers as a) as answers,
        (select jsonb_agg(to_jsonb(q) order by id) from questions as q) as questions,
        (select count(*) from notifications) as told, (select count(*) from jobs) as jobs,
        (select count(*) from search_documents) as documents,
        (select jsonb_agg(to_jsonb(m)) from course_members as m) as members`.execute(db)
    ).rows
  const before = await all()
  const statements = recordStatements(t)
  await warmUp(app, { isProduction: true }, { rounds: 2 })
  const times = (pattern: RegExp) => statements.filter((statement) => pattern.test(statement)).length
  assert.equal(times(/insert into "answers"/), 2 * 5)
  assert.equal(times(/insert into "jobs"|insert into jobs/), 2 * 5)
  assert.equal(times(/^rollback/), 2 * 5)
  assert.deepEqual(await all(), before)
  await changes.caughtUp()
  assert.equal(changes.clock.now, now)
})

test('where the author of a question may not answer, the pages are rendered all the same', async (t) => {
  const db = await testDatabase(t)
  const { id } = await aQuestion(db, { answers: 1 })
  await db.updateTable('questions').set({ answers_closed_at: new Date() }).where('id', '=', id).execute()
  const { app } = await testAppThatHears(t, db)
  const statuses = await warmUp(app, { isProduction: true }, { rounds: 2 })
  assert.ok(statuses.length >= 40, `${statuses.length} pages`)
})

test('an empty forum starts without', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  assert.deepEqual(await warmUp(app, { isProduction: true }), [])
})

test('where what people read is in courses for members, their pages are rendered, and what visitors read all the same', async (t) => {
  const db = await testDatabase(t)
  const [open, own] = [await aCourse(db), await aCourse(db, { isPublic: false })]
  for (let views = 1; views <= 6; views += 1) await aQuestion(db, { course: own, views: 100 + views })
  const shown = await aQuestion(db, { course: open })
  for (let count = 0; count < 3; count += 1) await aMember(db, own)
  const { app } = await testAppThatHears(t, db)
  for (const { id } of await db.selectFrom('course_members').select('person_id as id').execute())
    await signedIn(app, { id })
  assert.deepEqual(
    (await popularQuestions(db, [open.id], 5)).map(({ id }) => id),
    [shown.id],
  )
  assert.deepEqual(await popularQuestions(db, [], 5), [])
  await warmUp(app, { isProduction: true }, { rounds: 1 })
  assert.equal(app.pageCache?.members.cache.size, 7)
})

test('a stop ends the warm-up', async (t) => {
  const db = await testDatabase(t)
  await aQuestion(db, { answers: 1 })
  const { app } = await testAppThatHears(t, db)
  const stopped = AbortSignal.abort()
  assert.deepEqual(await warmUp(app, { isProduction: true }, { signal: stopped }), [])
})

test('what members read most is kept for them: the first who come cause no rendering', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const questions = await Promise.all([1, 2, 3].map(() => aQuestion(db, { course, answers: 1 })))
  const [read, ...others] = questions
  assert.ok(read)
  const reader = { language: 'ko', time_zone: 'Asia/Seoul' } as const
  const people = [await aPerson(db), await aPerson(db), await aPerson(db)]
  for (const { id } of people.slice(1))
    await db.updateTable('people').set(reader).where('id', '=', id).execute()
  const { app, changes } = await testAppThatHears(t, db)
  const [other, member] = await Promise.all(people.map((person) => signedIn(app, person)))
  await changes.caughtUp()
  await warmUp(app, { isProduction: true }, { rounds: 1 })
  const { cache } = app.pageCache?.members ?? assert.fail('no pages are cached')
  assert.equal(cache.size, 3)
  const { loaded } = cache
  for (const question of [read, ...others]) {
    const page = await member?.get(questionPath(question))
    assert.equal(page?.statusCode, 200)
    assert.match(page.body, /<html lang="ko"/)
  }
  assert.equal(cache.loaded, loaded)
  await other?.get(questionPath(read))
  assert.equal(cache.loaded, loaded + 1)
})

test('what is read today is kept first, then what was read most', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const [most, little, today, never] = await Promise.all(
    [30, 20, 0, 0].map((views) => aQuestion(db, { course, views })),
  )
  const secret = await aQuestion(db, { course: await aCourse(db, { isPublic: false }), views: 40 })
  assert.ok(most && little && today && never)
  await sql`insert into question_views (question_id, day, visitor) values (${today.id}, current_date, '\\x01')`.execute(
    db,
  )
  const ids = async (count: number) => (await popularQuestions(db, [course.id], count)).map(({ id }) => id)
  assert.deepEqual(await ids(2), [today.id, most.id])
  const all = await ids(9)
  assert.deepEqual(all.slice(0, 3), [today.id, most.id, little.id])
  assert.ok(all.includes(never.id) && !all.includes(secret.id))
})
