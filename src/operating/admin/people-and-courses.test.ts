import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { purgeDeletedCourses } from '../../forum/purging/course-deletion.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { aForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'

const isSignedIn = async (browser: Awaited<ReturnType<typeof signedIn>>) =>
  (await browser.get('/settings')).statusCode === 200

suite('an account in the hands of admins', () => {
  test('becomes an admin’s, and stops being one unless it is the last', async (t) => {
    const { app, db } = await aForum(t)
    const [first, second] = [await aPerson(db, { isAdmin: true }), await aPerson(db)]
    const [one, two] = [await signedIn(app, first), await signedIn(app, second)]
    const change = (browser: typeof one, id: number, value: number) =>
      browser.post(`/admin/people/${id}/admin`, { value })
    assert.equal((await change(two, second.id, 1)).statusCode, 403)
    const refused = await change(one, first.id, 0)
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /only admin/)
    assert.equal((await change(one, second.id, 1)).statusCode, 303)
    assert.equal((await two.get(`/admin/people/${first.id}`)).statusCode, 200)
    // When two admins remove each other at once, one stays.
    await Promise.all([one.token(), two.token()])
    await Promise.all([change(one, second.id, 0), change(two, first.id, 0)])
    const admins = await db.selectFrom('people').select('id').where('is_admin', '=', true).execute()
    assert.equal(admins.length, 1)
    assert.equal((await one.get('/admin/people/999999')).statusCode === 200, false)
  })

  test('is suspended everywhere and let write again, on its page', async (t) => {
    const { app, db } = await aForum(t)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const person = await aPerson(db)
    const question = await aQuestion(db)
    const theirs = await signedIn(app, person)
    const back = `/admin/people/${person.id}`
    const answer = async () =>
      (await theirs.post(`/questions/${question.id}/answers`, { body: 'Tea.' })).statusCode
    assert.doesNotMatch((await admin.get(back)).body, /End suspension/)
    const suspended = await admin.post(`/people/${person.id}/suspension`, {
      course: '',
      reason: 'Spam',
      back,
    })
    assert.equal(suspended.headers.location, back)
    assert.match(textOf((await admin.get(back)).body), /Action taken 1 No action 0 Measures 1 Objections 0/)
    assert.match((await admin.get(back)).body, /No end\.[\s\S]*\/cases\/\d+[\s\S]*End suspension/)
    assert.equal(await answer(), 403)
    await admin.post(`/people/${person.id}/suspension/end`, { course: '', back })
    assert.equal(await answer(), 303)
    await admin.post(`/people/${person.id}/posts/deletion`, { course: '', reason: 'spam', back })
    const count = async () =>
      (await db.selectFrom('answers').select('id').where('is_shown', '=', true).execute()).length
    assert.equal(await count(), 0)
    await admin.post(`/people/${person.id}/posts/restoration`, { course: '', back })
    assert.equal(await count(), 1)
  })

  test('is deleted once its address is typed, and its owner is told', async (t) => {
    const { app, db } = await aForum(t)
    const admin = await aPerson(db, { isAdmin: true })
    const person = await aPerson(db, { displayName: 'Mina Park' })
    const question = await aQuestion(db, { author: person })
    const [browser, theirs] = [await signedIn(app, admin), await signedIn(app, person)]
    const path = `/admin/people/${person.id}`
    assert.match((await browser.get(path)).body, /Mina Park[\s\S]*Questions: 1/)
    const wrong = await browser.post(`${path}/delete`, { confirm: 'someone@else.example', posts: 'keep' })
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /value="someone@else\.example"/)
    assert.ok(await isSignedIn(theirs))
    const done = await browser.post(`${path}/delete`, { confirm: person.email.toUpperCase(), posts: 'keep' })
    assert.equal(done.headers.location, '/admin/people')
    assert.ok(!(await isSignedIn(theirs)))
    assert.equal((await browser.get(path)).statusCode, 404)
    assert.doesNotMatch((await visitor(app).get(`/questions/${question.id}/x`)).body, /Mina Park/)
    const mail = await db.selectFrom('mails').select(['kind', 'recipient']).executeTakeFirstOrThrow()
    assert.deepEqual([mail.kind, mail.recipient], ['farewell', person.email])
    const own = await browser.post(`/admin/people/${admin.id}/delete`, {
      confirm: admin.email,
      posts: 'keep',
    })
    assert.equal(own.statusCode, 422, 'the last admin stays')
    const entry = await db
      .selectFrom('audit')
      .selectAll()
      .where('act', '=', 'account-removed')
      .executeTakeFirstOrThrow()
    assert.deepEqual([entry.role, entry.subject_id], ['admin', person.id])
    assert.match((await browser.get('/audit')).body, new RegExp(`Former member ${person.id}`))
  })
})

suite('a deleted course', () => {
  test('is hidden at once, and comes back as it was, without those who left', async (t) => {
    const { app, db } = await aForum(t)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const course = await aCourse(db, { title: 'REST' })
    const question = await aQuestion(db, { course })
    const [staff, learner] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
    const leaver = await aMember(db, course)
    const silent = { course_id: course.id, person_id: staff.id, is_followed: false }
    await db.insertInto('course_follows').values(silent).execute()
    await db
      .insertInto('pending_roles')
      .values({ course_id: course.id, email: 'w@x.example', role: 'learner' })
      .execute()
    const browsers = [visitor(app), await signedIn(app, staff), await signedIn(app, learner)]
    const statuses = () =>
      Promise.all(browsers.map(async (one) => (await one.get(`/questions/${question.id}/x`)).statusCode))
    const before = await statuses()
    const path = `/courses/${course.slug}`

    const page = await admin.get(`${path}/deletion`)
    assert.match(page.body, /handup -- backup/)
    assert.equal((await browsers[1]?.get(`${path}/deletion`))?.statusCode, 403)
    const wrong = await admin.post(`${path}/deletion`, { title: 'Rest' })
    assert.equal(wrong.statusCode, 422)
    assert.deepEqual(await statuses(), before)
    assert.equal((await admin.post(`${path}/deletion`, { title: ' REST ' })).statusCode, 303)
    assert.deepEqual(await statuses(), [404, 404, 404])
    assert.equal((await admin.post(`${path}/deletion`, { title: 'REST' })).statusCode, 303, 'again')
    assert.match((await admin.get('/admin/courses')).body, /restorable until/)

    await admin.post(`/admin/people/${leaver.id}/delete`, { confirm: leaver.email, posts: 'keep' })
    await purgeDeletedCourses(db)
    assert.equal((await admin.post(`${path}/restoration`)).statusCode, 303)
    assert.deepEqual(await statuses(), before)
    const members = await db
      .selectFrom('course_members')
      .select(['person_id', 'role'])
      .where('course_id', '=', course.id)
      .orderBy('person_id')
      .execute()
    const roles = new Map(members.map(({ person_id, role }) => [person_id, role]))
    assert.deepEqual(
      [staff, learner, leaver].map(({ id }) => roles.get(id)),
      ['instructor', 'learner', undefined],
    )
    assert.equal((await db.selectFrom('pending_roles').selectAll().execute()).length, 1)
    const follows = await db
      .selectFrom('course_follows')
      .selectAll()
      .where('person_id', '=', staff.id)
      .execute()
    assert.equal(follows[0]?.is_followed, false, 'who unfollowed the course still has')
    assert.equal((await admin.post(`${path}/restoration`)).statusCode, 303, 'again')
  })

  test('is purged after thirty days, and can’t be restored then', async (t) => {
    const { app, db } = await aForum(t)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const course = await aCourse(db, { title: 'REST' })
    await aQuestion(db, { course })
    const path = `/courses/${course.slug}`
    await admin.post(`${path}/deletion`, { title: 'REST' })
    await sql`update course_deletions set deleted_at = now() - interval '30 days'`.execute(db)
    assert.equal((await admin.post(`${path}/restoration`)).statusCode, 404)
    await purgeDeletedCourses(db)
    for (const table of ['questions', 'courses', 'course_deletions'] as const)
      assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table)
  })
})
