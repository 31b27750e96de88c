import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { FIRST_PAGE } from '../../database/keyset.ts'
import { someMail } from '../../mail/testing.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { relIn, textOf } from '../../testing/page.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { listPeople } from './lists.ts'

suite('looking after the forum', () => {
  const forum = sharedForum()
  const anAdmin = async () => signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))

  test('is for admins', async () => {
    const learner = await signedIn(forum.app, await aPerson(forum.db))
    for (const path of ['/admin', '/admin/people', '/admin/courses']) {
      assert.equal((await learner.get(path)).statusCode, 403)
      assert.match(String((await visitor(forum.app).get(path)).headers.location), /^\/sign-in/)
    }
    assert.equal((await learner.post('/admin/people/1/link')).statusCode, 403)
  })

  test('shows the state as doctor sees it, and what waits', async () => {
    const admin = await anAdmin()
    await someMail(forum.db, {})
    const text = textOf((await admin.get('/admin')).body)
    assert.match(text, /migrations OK/)
    assert.match(text, /admins OK/)
    assert.match(text, /Emails to send 1 0 0 0 minutes/)
  })

  test('finds people by name and address, with what they teach, page by page', async () => {
    const admin = await anAdmin()
    const course = await aCourse(forum.db, { title: 'Zyxquork course' })
    const teacher = await aPerson(forum.db, { displayName: 'Mara Zyxquork' })
    await aMember(forum.db, course, 'instructor', teacher)
    const found = textOf((await admin.get('/admin/people?q=zyxquork')).body)
    assert.match(found, /Mara Zyxquork person-\d+@example.com Instructor: Zyxquork course/)
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
    const person = await aPerson(forum.db)
    const page = await admin.post(`/admin/people/${person.id}/link`)
    assert.equal(page.headers['cache-control'], 'private, no-store')
    const token = /\/sign-in\/link\?token=([\w-]+)/.exec(page.body)?.[1] ?? ''
    const owner = visitor(forum.app)
    assert.equal((await owner.post('/sign-in/link', { token })).statusCode, 303)
    assert.equal((await owner.get('/settings')).statusCode, 200)
    assert.equal((await visitor(forum.app).post('/sign-in/link', { token })).statusCode, 410)
    assert.equal((await admin.post('/admin/people/999999999/link')).statusCode, 404)
  })

  test('reads people by index, however many there are', async () => {
    await sql`insert into people (display_name, email)
      select md5(n::text), md5(n::text) || '@plans.example' from generate_series(1, 20000) n`.execute(
      forum.db,
    )
    await sql`vacuum analyze people`.execute(forum.db)
    for (const search of [null, 'c4ca4238a0']) {
      const plans = await explained(forum.url, (db) => listPeople(db, search, FIRST_PAGE))
      assert.deepEqual(
        plans.flatMap((plan) => complaints(plan, 400)),
        [],
      )
    }
  })
})
