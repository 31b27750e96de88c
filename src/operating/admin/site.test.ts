import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { aPasskey } from '../../accounts/passkeys/testing.ts'
import { anApp } from '../../accounts/second-factor/testing.ts'
import { PASSWORD } from '../../accounts/testing.ts'
import type { Database } from '../../database/schema.ts'
import { makeEntry } from '../../forum/faq/operations.ts'
import { claimsOf } from '../../kernel/rights/routes-testing.ts'
import { changeSiteSettings } from '../../kernel/rights/site-settings.ts'
import { RIGHTS } from '../../kernel/rights/table.ts'
import { testApp, testAppThatHears } from '../../testing/app.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { anAnnouncement } from '../../testing/posts.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { questionPath } from '../../web/paths.ts'

const PATH = '/settings/site'
const REQUIRED = { staff_second_factor: 'required', current_password: PASSWORD }
const SET_UP = '/settings/security#second-factor'

const aStaffPerson = async (db: Database, isAdmin = false) =>
  aPerson(db, { passwordHash: await hashPassword(PASSWORD), isAdmin })

/** A course with a learner's posts, and routes of staff filled in with them. */
async function aStaffedCourse(db: Database, app: FastifyInstance, isPublic = true) {
  const course = await aCourse(db)
  const asker = await aPerson(db)
  const question = await aQuestion(db, { course, author: asker })
  const answer = await anAnswer(db, { question, author: asker })
  const reply = await aReply(db, { answer, author: asker })
  await db.updateTable('courses').set({ is_public: isPublic }).where('id', '=', course.id).execute()
  const text = { title: 'The room', body: 'Another one.' }
  const announcement = await anAnnouncement(db, { courseId: course.id, authorId: asker.id, ...text })
  const entry = await db.transaction().execute(async (write) => {
    await makeEntry(write, { courseId: course.id, about: text, state: 'shown', position: null })
    return write.selectFrom('faq_entries').select('id').executeTakeFirstOrThrow()
  })
  const caseId = await aCaseOf(db, course.id, question.id)
  const ids: Record<string, number | string> = {
    announcements: announcement ?? 0,
    faq: entry.id,
    admin: 1,
    courses: course.slug,
    questions: question.id,
    answers: answer.id,
    replies: reply.id,
    mail: 1,
    cases: caseId,
    people: asker.id,
    measures: 1,
    audit: 1,
  }
  const routes = staffRoutes(app).map(({ method, path, who }) => ({
    method,
    path: path.replace(/:\w+/, () => String(ids[path.split('/')[1] ?? ''])).replace(/:\w+/, '1'),
    who,
  }))
  return { course, question, routes }
}

async function aCaseOf(db: Database, courseId: number, questionId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into cases (subject, question_id, course_id, is_reported, text_version, reason)
    values (${`question-${questionId}`}, ${questionId}, ${courseId}, true, '1', 'spam') returning id`.execute(
    db,
  )
  return rows[0]?.id ?? 0
}

/** Every route whose act staff may do and learners may not, but for those of what is hidden from who may not, such as
 * cases and suspensions everywhere: they are answered 404. */
function staffRoutes(app: FastifyInstance) {
  return routesOf(app).flatMap(({ method, path }) => {
    const who = (claimsOf(`${method} ${path}`) ?? [])
      .filter((claim) => !('isHidden' in claim))
      .flatMap(({ act }) => (act === 'meet' ? [] : [RIGHTS[act].who]))
      .find((one) => one.admin === 'always' && one.learner === 'never')
    return who === undefined || path.startsWith('/people/') ? [] : [{ method, path, who }]
  })
}

const visit = (browser: Browser, method: string, path: string) =>
  method === 'POST' ? browser.post(path, { body: 'Edited', value: '1' }) : browser.get(path)

suite('a second factor required of staff', () => {
  for (const role of ['admin', 'instructor', 'assistant'] as const) {
    test(`leads an ${role} without one from every staff route to setting one up`, async (t) => {
      const db = await testDatabase(t)
      const app = await testApp(t, db)
      const { course, question, routes } = await aStaffedCourse(db, app, false)
      const person = await aStaffPerson(db, role === 'admin')
      if (role !== 'admin') await aMember(db, course, role, person)
      await changeSiteSettings(db, { staffNeedSecondFactor: true })
      const browser = await signedIn(app, person)
      const theirs = routes.filter(({ who }) => who[role] === 'always')
      assert.ok(theirs.length >= 11, String(theirs.length))
      for (const { method, path } of theirs) {
        const led = await visit(browser, method, path)
        assert.equal(led.headers.location, SET_UP, `${method} ${path}: ${led.statusCode}`)
      }
      const page = await browser.get(questionPath(question))
      assert.equal(page.statusCode, 200, 'they still read')
      assert.match(textOf(page.body), /Staff of this forum need two-factor authentication/)
      assert.doesNotMatch(page.body, /\/edit"/)

      await aPasskey(app, person)
      const trusted = await signedIn(app, person)
      for (const { method, path } of theirs.filter(({ path }) => !/\/(delete|archive)$/.test(path))) {
        const { statusCode, headers } = await visit(trusted, method, path)
        assert.ok(statusCode !== 403 && headers.location !== SET_UP, `${method} ${path}: ${statusCode}`)
      }
      assert.equal((await trusted.post('/sign-out')).headers.location, '/')
    })
  }

  test('is asked of nobody else, and of nobody where it is optional', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const { course, question } = await aStaffedCourse(db, app)
    const instructor = await signedIn(app, await aMember(db, course, 'instructor'))
    const learner = await signedIn(app, await aMember(db, course))
    assert.equal((await instructor.get(`/questions/${question.id}/edit`)).statusCode, 200)
    await changeSiteSettings(db, { staffNeedSecondFactor: true })
    assert.equal((await learner.get(`/questions/${question.id}/edit`)).statusCode, 403)
    assert.doesNotMatch((await learner.get('/')).body, /requires a second factor/)
    assert.equal((await learner.post('/sign-out')).statusCode, 303)
  })

  test('holds at once in every process, and ends as soon as there is one', async (t) => {
    const db = await testDatabase(t)
    const [{ app, changes }, elsewhere] = [await testAppThatHears(t, db), await testApp(t, db)]
    const { course, question } = await aStaffedCourse(db, app)
    const person = await aStaffPerson(db)
    await aMember(db, course, 'instructor', person)
    await changes.caughtUp()
    const browser = await signedIn(app, person)
    const path = `/questions/${question.id}/edit`
    assert.equal((await browser.get(path)).statusCode, 200)
    await changeSiteSettings(db, { staffNeedSecondFactor: true })
    await changes.caughtUp()
    assert.equal((await browser.get(path)).headers.location, SET_UP)
    await anApp(elsewhere, person)
    await changes.caughtUp()
    const again = await signedIn(app, person)
    assert.equal((await again.get(path)).statusCode, 200)
    await db.deleteFrom('second_factors').execute()
    await changes.caughtUp()
    assert.equal((await again.get(path)).headers.location, SET_UP)
  })
})

suite('the settings of the forum', () => {
  test('are an admin’s, who needs the password and a second factor of their own', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const person = await aStaffPerson(db, true)
    const admin = await signedIn(app, person)
    const anybody = await signedIn(app, await aPerson(db))
    assert.equal((await anybody.get(PATH)).statusCode, 403)
    assert.equal((await anybody.post(PATH, REQUIRED)).statusCode, 403)
    assert.match((await admin.get('/settings')).body, /href="\/settings\/site"/)
    const without = await admin.post(PATH, REQUIRED)
    assert.equal(without.statusCode, 422)
    assert.match(textOf(without.body), /Set up a passkey or an authenticator app for your own account first/)
    const { browser } = await aPasskey(app, person)
    for (const wrong of [{ current_password: 'no' }, { staff_second_factor: 'x' }])
      assert.equal((await browser.post(PATH, { ...REQUIRED, ...wrong })).statusCode, 422)
    assert.equal((await browser.post(PATH, REQUIRED)).headers.location, PATH)
    assert.match((await browser.get(PATH)).body, /value="required" selected/)
    const months = { audit_months: '36', case_months: '121' }
    const wrong = await browser.post(PATH, { ...REQUIRED, ...months })
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /value="121"[\s\S]*from 1 to 120/)
    assert.match((await browser.get(PATH)).body, /name="case_months"[^>]*value="12"/)
    await browser.post(PATH, { ...REQUIRED, ...months, case_months: '6' })
    assert.match((await browser.get(PATH)).body, /name="case_months"[^>]*value="6"/)
    const optional = await browser.post(PATH, { ...REQUIRED, staff_second_factor: 'optional' })
    assert.equal(optional.statusCode, 303)
    assert.match((await browser.get(PATH)).body, /value="optional" selected/)
  })
})
