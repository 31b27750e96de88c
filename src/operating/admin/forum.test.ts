import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { FIRST_PAGE } from '../../database/keyset.ts'
import { someMail } from '../../mail/testing.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { relIn, textOf } from '../../testing/page.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { countPeople, listPeople, MAX_COUNTED, PEOPLE_SHOWN } from './people.ts'

suite('looking after the forum', () => {
  const forum = sharedForum()
  const anAdmin = async () => signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))

  test('shows the state as doctor sees it, and what waits', async () => {
    const admin = await anAdmin()
    await someMail(forum.db, {})
    const text = textOf((await admin.get('/admin')).body)
    assert.match(text, /Migrations OK all \d+ applied/)
    assert.match(text, /Admins OK/)
    assert.match(text, /Emails to send 1 0 0 0 minutes/)
    const korean = textOf((await admin.get('/admin', { 'accept-language': 'ko' })).body)
    assert.match(korean, /마이그레이션 정상 \d+개 모두 적용됨/)
    assert.doesNotMatch(korean, /migrations|applied|accounts|waiting/)
  })

  test('finds people by name and address, with what they teach, page by page', async () => {
    const admin = await anAdmin()
    const course = await aCourse(forum.db, { title: 'Zyxquork course' })
    const teacher = await aPerson(forum.db, { displayName: 'Mara Zyxquork' })
    await aMember(forum.db, course, 'instructor', teacher)
    const found = textOf((await admin.get('/admin/people?q=zyxquork')).body)
    assert.match(found, /Mara Zyxquork person-\d+@example.com Instructor in 1 course/)
    for (let number = 0; number < 55; number += 1) await aPerson(forum.db)
    const first = await admin.get('/admin/people')
    assert.doesNotMatch(first.body, /Mara Zyxquork/)
    assert.match((await admin.get(relIn(first.body, 'next') ?? '')).body, /Mara Zyxquork/)
    assert.match(
      textOf((await admin.get('/admin/courses?q=zyxquork')).body),
      /Zyxquork course Mara Zyxquork 1 Members, Zyxquork course 0/,
    )
  })

  test('makes a link that signs somebody in once', async () => {
    const admin = await anAdmin()
    const page = await admin.post(`/admin/people/${(await aPerson(forum.db)).id}/link`)
    assert.equal(page.headers['cache-control'], 'private, no-store')
    const token = /\/sign-in\/link\?token=([\w-]+)/.exec(page.body)?.[1] ?? ''
    const owner = visitor(forum.app)
    assert.equal((await owner.post('/sign-in/link', { token })).statusCode, 303)
    assert.equal((await owner.get('/settings')).statusCode, 200)
    assert.equal((await visitor(forum.app).post('/sign-in/link', { token })).statusCode, 410)
    assert.equal((await admin.post('/admin/people/999999999/link')).statusCode, 404)
  })

  test('has tabs of people, each with its number, its pages and its search', async () => {
    const { db } = forum
    const admin = await anAdmin()
    const course = await aCourse(db)
    const people = {
      staff: await aMember(db, course, 'assistant', await aPerson(db, { displayName: 'Tabby Staff' })),
      admins: await aPerson(db, { displayName: 'Tabby Admin', isAdmin: true }),
      suspended: await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Tabby Suspended' })),
      unconfirmed: await aPerson(db, { displayName: 'Tabby Unconfirmed', isConfirmed: false }),
    }
    const suspend = async (fields: object) =>
      (await admin.post(`/people/${people.suspended.id}/suspension`, { reason: 'Spam', ...fields }))
        .statusCode
    assert.equal(await suspend({ course: course.slug }), 303)
    for (const [show, { id, displayName }] of Object.entries(people)) {
      const page = await admin.get(`/admin/people?show=${show}&q=tabby`)
      assert.deepEqual(await markupMistakes(page.body), [])
      const names = page.body.match(/Tabby \w+(?=<\/bdi>)/g)
      assert.deepEqual(names, [displayName], show)
      assert.match(page.body, new RegExp(`name="show" value="${show}"`), 'a search stays in its tab')
      const numbered = await admin.get(`/admin/people?show=${show}&q=${id}`)
      assert.match(numbered.body, new RegExp(`href="/admin/people/${id}"`), 'found by its number')
    }
    const all = textOf((await admin.get('/admin/people?q=tabby')).body)
    assert.match(all, /Tabby Suspended .* Learner in 1 course Suspended in 1 course/)
    assert.match(all, /Suspended 1 Unconfirmed 1/)
    await suspend({ course: '' })
    assert.match(textOf((await admin.get('/admin/people?show=suspended')).body), /Suspended in every course/)
    await sql`update measures set ends_at = now() - interval '1 second', starts_at = now() - interval '1 day'
      where person_id = ${people.suspended.id}`.execute(db)
    assert.match(textOf((await admin.get('/admin/people?show=suspended')).body), /No accounts here/)
    for (let number = 0; number < 51; number += 1) await aMember(db, course, 'assistant')
    const first = await admin.get('/admin/people?show=staff&q=person')
    const second = await admin.get(relIn(first.body, 'next') ?? '')
    const idsOf = ({ body }: { body: string }) =>
      [...body.matchAll(/"\/admin\/people\/(\d+)"/g)].map(([, id]) => Number(id))
    const ids = [...idsOf(first), ...idsOf(second)]
    assert.ok(idsOf(second).length > 0)
    assert.deepEqual(
      ids,
      [...new Set(ids)].toSorted((one, other) => other - one),
    )
    assert.deepEqual(idsOf(await admin.get(relIn(second.body, 'prev') ?? '')), idsOf(first))
  })

  test('reads people by index, however many there are', async () => {
    const course = await aCourse(forum.db)
    // The oldest accounts have what the tabs show: reading the newest first, they are found last.
    const { rows } = await sql<{ id: number }>`
      insert into people (display_name, email, is_admin, email_confirmed_at)
      select md5(n::text), md5(n::text) || '@plans.example', n <= 300, case when n > 300 then now() end
      from generate_series(1, 20000) n returning id`.execute(forum.db)
    const old = sql`unnest(${rows.slice(0, 300).map(({ id }) => id)}::bigint[]) as id`
    await sql`insert into course_members (course_id, person_id, role) select ${course.id}, id, 'assistant' from ${old}`.execute(
      forum.db,
    )
    await sql`
      with made as (insert into cases (subject, person_id, is_for_admins, is_reported, text_version, reason, state, decided_at)
        select 'person-' || id, id, true, false, '1', 'spam', 'upheld', now() from ${old} returning id, person_id)
      insert into measures (case_id, kind, person_id, is_everywhere) select id, 'suspend', person_id, true from made`.execute(
      forum.db,
    )
    await sql`vacuum analyze people, course_members, cases, measures`.execute(forum.db)
    const counts = await explained(forum.url, countPeople)
    assert.deepEqual(
      counts.flatMap((plan) => complaints(plan, MAX_COUNTED + 1)),
      [],
    )
    const searches = [null, 'c4ca4238a0']
    for (const { show, search } of PEOPLE_SHOWN.flatMap((show) =>
      searches.map((search) => ({ show, search })),
    )) {
      const plans = await explained(forum.url, (db) => listPeople(db, { show, search }, FIRST_PAGE))
      assert.deepEqual(
        plans.flatMap((plan) => complaints(plan, 400)),
        [],
        `${show} ${search}`,
      )
    }
  })
})
