import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Ending } from '../../testing/at-end.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { complaints, type Explained, explained } from '../../testing/plans.ts'
import { listHeld } from './pages/held-list.ts'
import { MOST_LISTED, namedPosts, otherPosts } from './pages/listed-posts.ts'
import { CASE_VIEWS, CASES_PER_PAGE, countCases, listCases } from './pages/queue-page.ts'
import { spamDomains } from './spam-domains.ts'

const CASES = 10_000
const FIRST = { after: null, before: null }
/** More are not counted. */
const MOST_COUNTED = 1000

const readTooMuch = (plans: readonly Explained[], most: number) =>
  plans.flatMap((plan) => complaints(plan, most))

/** Of twenty cases two are the admins', half are open, and one of the decided waits for the answer to an objection. */
async function manyCases(db: Database, courseId: number, personId: number): Promise<void> {
  await sql`
    with made as (
      insert into cases (subject, person_id, course_id, is_for_admins, is_reported, text_version, reports_count, reason, state, opened_at,
        decided_at)
      select 'answer-' || number, ${personId}, ${courseId}, number % 10 = 0, true, '1', 1, 'rude',
        case when number % 2 = 0 then 'open' else 'upheld' end, now() - number * interval '1 minute',
        case when number % 2 = 1 then now() - number * interval '1 second' end
      from generate_series(1, ${CASES}) as number
      returning id, state),
    kept as (insert into case_snapshots (case_id, text_version, body) select id, '1', 'A text' from made),
    taken as (
      insert into measures (case_id, kind, person_id, course_id) select id, 'hide', ${personId}, ${courseId} from made
      where state <> 'open' returning id)
    insert into objections (measure_id, note) select id, 'It was fine.' from taken where id % 20 = 1`.execute(
    db,
  )
  await sql`update cases set is_for_admins = true where id % 100 = 1`.execute(db)
  await sql`analyze cases, case_snapshots, measures, objections`.execute(db)
}

async function aCourseToPlan(test: Ending) {
  const database = await testDatabaseWithUrl(test)
  return { ...database, course: await aCourse(database.db) }
}

suite('plans of the queues of cases', () => {
  test('a page of 10,000 cases reads no more than its rows, in every view, forwards and back', async (t) => {
    const { db, url, course } = await aCourseToPlan(t)
    const [person, staff] = [await aMember(db, course), await aMember(db, course, 'instructor')]
    const admin = await aPerson(db, { isAdmin: true })
    await manyCases(db, course.id, person.id)
    const queues = [
      { courseId: course.id, viewer: { id: staff.id, isAdmin: false, roles: { [course.id]: 'instructor' } } },
      { courseId: null, viewer: { id: admin.id, isAdmin: true, roles: {} } },
    ] as const
    const seen = new Set<number>()
    const plans = await explained(url, async (recorded) => {
      for (const queue of queues)
        for (const view of CASE_VIEWS) {
          const first = (await listCases(recorded, { ...queue, view }, FIRST)).rows
          const last = first.at(-1) ?? assert.fail(`no cases: ${view}`)
          const cursor = { value: last.at.getTime(), id: last.id }
          const second = (await listCases(recorded, { ...queue, view }, { after: cursor, before: null })).rows
          const back = (await listCases(recorded, { ...queue, view }, { after: null, before: cursor })).rows
          assert.deepEqual(back, first.slice(0, -1), view)
          const ids = [...first, ...second].map(({ id }) => id)
          assert.equal(new Set(ids).size, ids.length, `${view}: a case is on two pages`)
          for (const id of ids) seen.add(id)
        }
    })
    assert.equal(plans.length, queues.length * CASE_VIEWS.length * 3)
    // Objections that wait are few, and found by their own index.
    const of = (isObjections: boolean) =>
      plans.filter(({ text }) => text.includes('objections.answered_at') === isObjections)
    assert.deepEqual(readTooMuch(of(false), 4 * CASES_PER_PAGE), [])
    assert.deepEqual(readTooMuch(of(true), MOST_COUNTED), [])
    const counts = await explained(url, async (recorded) => {
      for (const queue of queues) await countCases(recorded, queue)
    })
    assert.deepEqual(readTooMuch(counts, 2 * MOST_COUNTED), [])
    assert.ok(seen.size > 6 * CASES_PER_PAGE)
  })

  test('a page of held posts reads those that are held in its course, among 20,000 answers', async (t) => {
    const { db, url, course } = await aCourseToPlan(t)
    const question = await aQuestion(db, { course })
    const { id: authorId } = await aPerson(db)
    await db.transaction().execute(async (write) => {
      await sql`set local session_replication_role = replica`.execute(write)
      await sql`
      insert into answers (question_id, author_id, body, body_html, renderer_version, is_shown, held_at, held_for)
      select ${question.id}, ${authorId}, 'Text', '<p>Text</p>', 1, number % 100 > 0,
        case when number % 100 = 0 then now()::timestamptz(3) - number * interval '1 second' end, case when number % 100 = 0 then 'all' end
      from generate_series(1, 20000) as number`.execute(write)
    })
    await sql`analyze`.execute(db)
    const plans = await explained(url, async (recorded) => {
      const first = await listHeld(recorded, course.id, FIRST, CASES_PER_PAGE)
      const last = first.rows.at(-1) ?? assert.fail('nothing is held')
      const after = { value: last.held_at.getTime(), id: last.id }
      const second = await listHeld(recorded, course.id, { after, before: null }, CASES_PER_PAGE)
      assert.ok(!second.rows.some(({ id }) => first.rows.some((row) => row.id === id)))
      const viewer = { id: authorId, isAdmin: true, roles: {} }
      assert.equal((await countCases(recorded, { viewer, courseId: course.id })).held, 100)
    })
    assert.deepEqual(readTooMuch(plans, 700), [])
  })

  test('the other posts of the author of a case, and chosen ones, are found among 20,000 of others', async (t) => {
    const { db, url, course } = await aCourseToPlan(t)
    const question = await aQuestion(db, { course })
    const [{ id: authorId }, { id: otherId }] = [await aPerson(db), await aPerson(db)]
    await db.transaction().execute(async (write) => {
      await sql`set local session_replication_role = replica`.execute(write)
      for (const table of ['answers', 'replies'])
        await sql`
        insert into ${sql.table(table)} (question_id, author_id, body, body_html, renderer_version, is_shown)
        select ${question.id}, case when number % 200 = 0 then ${authorId}::bigint else ${otherId} end, 'Text', '<p>Text</p>', 1, true
        from generate_series(1, 20000) as number`.execute(write)
    })
    await sql`analyze`.execute(db)
    const plans = await explained(url, async (recorded) => {
      const others = await otherPosts(recorded, course.id, authorId, { about: 'answer', id: 200 })
      assert.deepEqual([others.length, others[0]?.total], [MOST_LISTED, 199])
      assert.ok(others.every((post) => post.author_id === authorId))
      const chosen = others.map(({ kind: about, id }) => ({ about, id }))
      assert.equal((await namedPosts(recorded, null, chosen)).length, MOST_LISTED)
      assert.deepEqual(await otherPosts(recorded, course.id + 1, authorId, { about: 'person', id: 1 }), [])
    })
    assert.deepEqual(readTooMuch(plans, 1500), [])
  })

  test('a spammer’s domains are looked for below the newest 1,000 questions, among 20,000, and in no list of all addresses', async (t) => {
    const { db, url, course } = await aCourseToPlan(t)
    const [author, other] = [await aPerson(db, { email: 'someone@casino.example' }), await aPerson(db)]
    const { id: questionId } = await aQuestion(db, { course, author: other })
    const html = '<p><a href="https://casino.example/">Win</a></p>'
    await db.transaction().execute(async (write) => {
      await sql`set local session_replication_role = replica`.execute(write)
      await sql`
      with asked as (
        insert into questions (course_id, category_id, author_id, title, body, body_html, renderer_version, written_at)
        select course_id, category_id, author_id, 'Title', 'Text', ${html}, 1, now() - number * interval '1 minute'
        from questions cross join generate_series(1, 20000) as number where id = ${questionId} returning id)
      insert into answers (question_id, author_id, body, body_html, renderer_version)
      select id, ${other.id}, 'Text', ${html}, 1 from asked`.execute(write)
      await sql`
      insert into people (display_name, email) select 'Person', 'p' || number || '@school' || number % 100 || '.example'
      from generate_series(1, 20000) as number`.execute(write)
    })
    await sql`
      insert into answers (question_id, author_id, body, body_html, renderer_version)
      values (${questionId}, ${author.id}, 'Text', ${html}, 1)`.execute(db)
    await sql`analyze`.execute(db)
    const plans = await explained(url, async (recorded) => {
      for (const courseId of [course.id, null]) {
        const found = await spamDomains(recorded, { personId: author.id, courseId }, 'https://forum.example')
        assert.deepEqual(found, [{ domain: 'casino.example', linking: 1, addressed: 0 }])
      }
    })
    assert.deepEqual(readTooMuch(plans, 2500), [])
  })
})
