import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { caseLettersKind } from '../../forum/cases/letters.ts'
import { setFollowing } from '../../forum/follows/following.ts'
import { mailDue } from '../../forum/mailing/notifier.ts'
import { weekKind } from '../../forum/mailing/staff-week.ts'
import { deleteCourse } from '../../forum/purging/course-deletion.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { SECRET, silentLog } from '../../testing/app.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { textOf } from '../../testing/page.ts'
import { anAnnouncement } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { linkTo } from '../testing.ts'
import { aForumWithProvider, comeBy, personIn } from './testing.ts'

const MAILING = { baseUrl: 'http://localhost:3000', secret: SECRET, replyAddress: null }
const NAME = 'Mina Kim'

/** A forum where Mina signed in by a provider that told no address; staff, an admin, and someone imported whom nobody is. */
async function aScene(t: TestContext) {
  const { app, db, person, provider } = await aForumWithProvider(t)
  provider.answers.claims = { email: undefined, auth_time: Math.floor(Date.now() / 1000) }
  const mina = await comeBy(app, provider)
  const { id } = await rowOf(db, 'people', { email: null })
  const course = await aCourse(db)
  const instructor = await signedIn(app, await aMember(db, course, 'instructor'))
  const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
  const imported = { display_name: 'Imported Person', email: null }
  await db.insertInto('people').values(imported).execute()
  return { app, db, person, provider, mina, id, course, instructor, admin }
}
type Scene = Awaited<ReturnType<typeof aScene>>

/** Reads what the bell has, in words; a mail of it would be written here, too. */
async function told({ db, id }: Scene): Promise<string[]> {
  const rows = await rowsOf(db, 'notifications', { person_id: id })
  await mailDue(db, silentLog(), { ...MAILING, soonSeconds: 0, isSent: false })
  const due = await db.selectFrom('deliveries').selectAll().where('waiting_since', 'is not', null).execute()
  assert.deepEqual(due, [], 'nothing waits for a mail that never comes')
  return valuesOf(rows, 'reason')
}

/** Their roles in all courses. */
const rolesOf = async ({ db, id }: Scene) =>
  valuesOf(await rowsOf(db, 'course_members', { person_id: id }), 'role')

const textAt = async (browser: Browser, path: string) => textOf((await browser.get(path)).body)

/** Each place where an address is used, and what someone without one finds there. In this order: later ones build on earlier ones. */
const PLACES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'the settings say so'({ mina }) {
    const page = await mina.get('/settings')
    assert.match(textOf(page.body), /None\. Without an email address you get no email/)
    assert.match(page.body, /name="new_email"/)
    assert.doesNotMatch(page.body, /name="email_password"/)
  },
  async 'the notification settings say that no mail comes, and are saved'({ mina }) {
    const page = await mina.get('/settings/notifications')
    assert.match(textOf(page.body), /This forum doesn’t send email yet/)
    const saved = await mina.post('/settings/notifications', { rhythm: 'daily' })
    assert.equal(saved.statusCode, 303)
    await mina.post('/settings/notifications', { rhythm: 'soon' })
  },
  async 'a forgotten password and a confirmation find no account'({ app, mina }) {
    const page = await mina.get('/forgotten-password')
    assert.match(page.body, /name="email"[^>]*value=""|name="email"(?![^>]*value=)/)
    assert.equal((await visitor(app).post('/forgotten-password', { email: '' })).statusCode, 422)
    assert.equal((await mina.post('/settings/email/confirmation')).statusCode, 403)
    const password = { password: 'five words that nobody knows' }
    assert.equal((await mina.post('/settings/password', password)).statusCode, 403)
  },
  async 'an admin sees it in the list and on the page, and not of imported people'({ db, admin, id }) {
    const list = await admin.get('/admin/people')
    assert.match(textOf(list.body), /Mina Kim No email address/)
    assert.doesNotMatch(textOf(list.body), /Imported Person No email address/)
    assert.match(list.body, new RegExp(`action="/admin/people/${id}/link"`))
    assert.match(await textAt(admin, `/admin/people/${id}`), /No email address/)
    const imported = await rowOf(db, 'people', { display_name: 'Imported Person' })
    assert.equal((await admin.post(`/admin/people/${imported.id}/link`)).statusCode, 404)
  },
  async 'a link that an admin passes on signs in, and unlinks nothing'({ app, db, admin, id }) {
    const made = await admin.post(`/admin/people/${id}/link`)
    assert.equal(made.statusCode, 200)
    assert.doesNotMatch(textOf(made.body), /isn’t confirmed/)
    const token = /\/sign-in\/link\?token=([\w-]+)/.exec(made.body)?.[1] ?? ''
    const elsewhere = visitor(app)
    assert.equal((await elsewhere.post('/sign-in/link', { token })).statusCode, 303)
    assert.equal(await personIn(elsewhere), NAME)
    assert.equal((await rowsOf(db, 'linked_accounts', {})).length, 1)
  },
  async 'a link to a course gives its role at once'(scene) {
    const { db, mina, course, instructor } = scene
    const path = `/courses/${course.slug}`
    await instructor.post(`${path}/invitations`, { role: 'learner' })
    const link = /\/join\/[\w-]+/.exec((await instructor.get(`${path}/members`)).body)?.[0] ?? ''
    assert.equal((await mina.post(link)).headers.location, path)
    assert.deepEqual(await rolesOf(scene), ['learner'])
    assert.deepEqual(await rowsOf(db, 'pending_roles', {}), [])
  },
  async 'members are listed without it, and get another role at once'(scene) {
    const { id, course, instructor } = scene
    const path = `/courses/${course.slug}/members`
    assert.match(await textAt(instructor, path), /Mina Kim/)
    assert.match((await instructor.get(`${path}.csv`)).body, /Mina Kim,,learner/)
    await instructor.post(`${path}/${id}/role`, { role: 'assistant' })
    assert.deepEqual(await rolesOf(scene), ['assistant'])
  },
  async 'an answer is told by the bell, and by no mail'(scene) {
    const { app, db, mina, id, course } = scene
    const question = await aQuestion(db, { course, author: { id } })
    await within(db, setFollowing, question.id, id, 'follow')
    const other = await signedIn(app, await aMember(db, course))
    await other.post(`/questions/${question.id}/answers`, { body: 'Like this.' })
    assert.deepEqual(await told(scene), ['answered'])
    assert.match(await textAt(mina, '/notifications'), new RegExp(question.title))
  },
  async 'an announcement is told by the bell'(scene) {
    const { db, course, person } = scene
    const news = { courseId: course.id, authorId: person.id, title: 'The exam moves', body: 'To Friday.' }
    await anAnnouncement(db, news)
    assert.deepEqual((await told(scene)).sort(), ['announcement', 'answered'])
  },
  async 'staff hear of a case by the bell'(scene) {
    const { app, db, course } = scene
    const answer = await anAnswer(db, { question: await aQuestion(db, { course }) })
    const reporter = await signedIn(app, await aMember(db, course))
    const reported = await reporter.post(`/answers/${answer.id}/reports`, { reason: 'spam', note: '' })
    assert.equal(reported.statusCode, 303)
    assert.ok((await told(scene)).includes('case'))
  },
  async 'the weekly mail to staff is not written'({ db }) {
    await doJobs(db, weekKind(db, MAILING))
    await sql`update staff_weeks set next_at = now()`.execute(db)
    await doJobs(db, weekKind(db, MAILING))
  },
  async 'a suspension is told in the forum, where its owner objects'(scene) {
    const { db, id, mina, course, instructor } = scene
    const suspended = { course: course.slug, until: '', reason: 'Adverts' }
    assert.equal((await instructor.post(`/people/${id}/suspension`, suspended)).statusCode, 303)
    await doJobs(db, caseLettersKind(db, { baseUrl: MAILING.baseUrl, timeZone: 'UTC' }))
    assert.ok((await told(scene)).includes('measure'))
    assert.match(await textAt(mina, '/settings/standing'), /Adverts/)
    await instructor.post(`/people/${id}/suspension/end`, { course: course.slug })
  },
  async 'a token is made, and told by no mail'({ mina }) {
    const made = await mina.post('/settings/tokens', { name: 'Calendar', scopes: 'read' })
    assert.ok(made.statusCode < 400, made.body)
  },
  async 'their own data has none'({ mina }) {
    const data = (await mina.get('/settings/account/data')).json()
    assert.equal(data.account.email, null)
    assert.deepEqual(data.mails, [])
  },
  async 'nothing of this wrote a mail'({ db, id }) {
    assert.deepEqual(await rowsOf(db, 'mails', { person_id: id }), [])
  },
  async 'an imported account with a way to sign in outlives its course'({ db, id, person }) {
    const course = await aCourse(db)
    await sql`insert into imported_people (course_id, source_id, person_id)
      values (${course.id}, 1, ${id})`.execute(db)
    await db.deleteFrom('course_members').where('person_id', '=', id).execute()
    await setRows(db, 'questions', {}, { author_id: person.id })
    await deleteCourse(db, course.id)
    assert.equal((await rowsOf(db, 'people', id)).length, 1)
  },
  async 'an address that is added later brings the role that waits for it'(scene) {
    const { db, id, mina, course, instructor } = scene
    const address = 'mina@new.example'
    await instructor.post(`/courses/${course.slug}/members`, { email: address, role: 'assistant' })
    assert.equal((await mina.post('/settings/email', { new_email: address })).statusCode, 303)
    await mina.post('/confirm-email', { token: (await linkTo(db, address)).token })
    assert.deepEqual(await rolesOf(scene), ['assistant'])
    await setRows(db, 'people', id, { email: null, email_confirmed_at: null })
  },
  async 'an account is deleted by its name, and no farewell is written'({ db, mina }) {
    const before = await rowsOf(db, 'mails', {})
    const left = await mina.post('/settings/account/delete', { posts: 'keep', display_name: NAME })
    assert.equal(left.statusCode, 303)
    assert.equal(await personIn(mina), null)
    assert.ok((await rowsOf(db, 'mails', {})).length <= before.length)
  },
}

suite('an account without an email address', () => {
  test('is whole without one', async (t) => {
    const scene = await aScene(t)
    for (const [place, check] of Object.entries(PLACES)) await t.test(place, () => check(scene))
  })
})
