import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { postAnswer } from '../../forum/answers/operations.ts'
import { bringCourseBack, purgeDeletedCourses, removeCourse } from '../../forum/purging/course-deletion.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { aForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { addRow, rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { changeAdmin, deleteAccount } from './operations.ts'

suite('an account in the hands of admins', () => {
  test('becomes an admin’s, and stops being one unless it is the last', async (t) => {
    const { app, db } = await aForum(t)
    const [first, second] = [await aPerson(db, { isAdmin: true }), await aPerson(db)]
    const change = (actor: typeof first, { id }: typeof first, value: string) => {
      const person = String(id)
      return refusalOf({ db }, changeAdmin, { actor, key: person, input: { person, value } })
    }
    assert.equal(await change(first, first, '0'), 'value: admin.person.lastAdmin')
    assert.equal(await change(first, second, '1'), 'done')
    const browser = await signedIn(app, second)
    assert.equal((await browser.get(`/admin/people/${first.id}`)).statusCode, 200)
    // When two admins remove each other at once, one stays.
    const done = await Promise.all([change(first, second, '0'), change(second, first, '0')])
    assert.equal(done.filter((why) => why === 'done').length, 1)
    assert.equal((await rowsOf(db, 'people', { is_admin: true })).length, 1)
  })

  test('is suspended everywhere and let write again, on its page', async (t) => {
    const { app, db } = await aForum(t)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const person = await aPerson(db)
    const { id: key } = await aQuestion(db)
    const back = `/admin/people/${person.id}`
    const send = (path: string, fields: Record<string, string> = {}) =>
      admin.post(`/people/${person.id}/${path}`, { course: '', back, ...fields })
    const answer = () => refusalOf({ db }, postAnswer, { actor: person, key, input: { body: 'Tea.' } })
    assert.doesNotMatch((await admin.get(back)).body, /End suspension/)
    assert.equal((await send('suspension', { reason: 'Spam' })).headers.location, back)
    const page = await admin.get(back)
    assert.match(textOf(page.body), /Action taken 1 No action 0 Measures 1 Objections 0/)
    assert.match(page.body, /No end\.[\s\S]*\/cases\/\d+[\s\S]*End suspension/)
    assert.equal(await answer(), 'suspended')
    await send('suspension/end')
    assert.equal(await answer(), 'done')
    const isShown = async () => (await rowOf(db, 'answers', { author_id: person.id })).is_shown
    await send('posts/deletion', { reason: 'spam' })
    assert.equal(await isShown(), false)
    await send('posts/restoration')
    assert.equal(await isShown(), true)
  })

  test('is deleted once its address is typed, and its owner is told', async (t) => {
    const { app, db } = await aForum(t)
    const admin = await aPerson(db, { isAdmin: true })
    const person = await aPerson(db, { displayName: 'Mina Park' })
    const question = await aQuestion(db, { author: person })
    const browser = await signedIn(app, admin)
    const theirs = await signedIn(app, person)
    const path = `/admin/people/${person.id}`
    assert.match((await browser.get(path)).body, /Mina Park[\s\S]*Questions: 1/)
    const wrong = await browser.post(`${path}/delete`, { confirm: 'someone@else.example', posts: 'keep' })
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /value="someone@else\.example"/)
    assert.equal((await theirs.get('/settings')).statusCode, 200)
    const done = await browser.post(`${path}/delete`, { confirm: person.email.toUpperCase(), posts: 'keep' })
    assert.equal(done.headers.location, '/admin/people')
    assert.notEqual((await theirs.get('/settings')).statusCode, 200)
    assert.equal((await browser.get(path)).statusCode, 404)
    assert.doesNotMatch((await visitor(app).get(`/questions/${question.id}/x`)).body, /Mina Park/)
    assert.equal((await rowOf(db, 'mails', { recipient: person.email })).kind, 'farewell')
    const key = String(admin.id)
    const own = { person: key, confirm: admin.email, posts: 'keep' }
    await refuses({ db }, deleteAccount, { actor: admin, key }, [[own, 'confirm: admin.person.lastAdmin']])
    const entry = await rowOf(db, 'audit', { act: 'account-removed' })
    assert.deepEqual([entry.role, entry.subject_id], ['admin', person.id])
    assert.match((await browser.get('/audit')).body, new RegExp(`Former member ${person.id}`))
  })
})

suite('a deleted course', () => {
  test('is hidden at once, and comes back as it was, without those who left', async (t) => {
    const { app, db } = await aForum(t)
    const actor = await aPerson(db, { isAdmin: true })
    const course = await aCourse(db, { title: 'REST' })
    const question = await aQuestion(db, { course })
    const [staff, learner] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
    const leaver = await aMember(db, course)
    const inIt = { course_id: course.id }
    await addRow(db, 'course_follows', { ...inIt, person_id: staff.id, is_followed: false })
    await addRow(db, 'pending_roles', { ...inIt, email: 'w@x.example', role: 'learner' })
    const browsers = [visitor(app), await signedIn(app, staff), await signedIn(app, learner)]
    const statuses = () =>
      Promise.all(browsers.map(async (one) => (await one.get(`/questions/${question.id}/x`)).statusCode))
    const before = await statuses()
    const by = { actor, key: course.slug }

    const admin = await signedIn(app, actor)
    assert.match((await admin.get(`/courses/${course.slug}/deletion`)).body, /handup -- backup/)
    const title = ' REST '
    await refuses({ db }, removeCourse, by, [[{ title: 'Rest' }, 'title: admin.course.wrongTitle']])
    assert.deepEqual(await statuses(), before)
    await act({ db }, removeCourse, { ...by, input: { title } })
    assert.deepEqual(await statuses(), [404, 404, 404])
    assert.equal(await refusalOf({ db }, removeCourse, { ...by, input: { title } }), 'done', 'again')
    assert.match((await admin.get('/admin/courses')).body, /restorable until/)

    const person = String(leaver.id)
    const input = { person, confirm: leaver.email, posts: 'keep' }
    await act({ db }, deleteAccount, { actor, key: person, input })
    await purgeDeletedCourses(db)
    await act({ db }, bringCourseBack, by)
    assert.deepEqual(await statuses(), before)
    const members = await rowsOf(db, 'course_members', inIt)
    const roles = new Map(members.map(({ person_id, role }) => [person_id, role]))
    assert.deepEqual(
      [staff, learner, leaver].map(({ id }) => roles.get(id)),
      ['instructor', 'learner', undefined],
    )
    assert.equal((await rowsOf(db, 'pending_roles', inIt)).length, 1)
    const { is_followed: isFollowed } = await rowOf(db, 'course_follows', { person_id: staff.id })
    assert.equal(isFollowed, false, 'who unfollowed the course still has')
    const again = await admin.post(`/courses/${course.slug}/restoration`)
    assert.equal(again.statusCode, 303, 'again')
  })

  test('is purged after thirty days, and can’t be restored then', async (t) => {
    const { db } = await aForum(t)
    const actor = await aPerson(db, { isAdmin: true })
    const course = await aCourse(db, { title: 'REST' })
    await aQuestion(db, { course })
    const by = { actor, key: course.slug }
    await act({ db }, removeCourse, { ...by, input: { title: 'REST' } })
    const longAgo = { deleted_at: sql`now() - interval '30 days'` }
    await setRows(db, 'course_deletions', { course_id: course.id }, longAgo)
    assert.equal(await refusalOf({ db }, bringCourseBack, by), 'notFound')
    await purgeDeletedCourses(db)
    for (const table of ['questions', 'courses', 'course_deletions'] as const)
      assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table)
  })
})
