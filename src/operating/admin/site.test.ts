import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { aPasskey } from '../../accounts/passkeys/testing.ts'
import { anApp } from '../../accounts/second-factor/testing.ts'
import { anOwner, PASSWORD } from '../../accounts/testing.ts'
import type { Database } from '../../database/schema.ts'
import { recordAct } from '../../forum/bulk/record.ts'
import { caseOf, reported } from '../../forum/cases/testing.ts'
import { makeEntry } from '../../forum/faq/operations.ts'
import { claimsOf } from '../../kernel/rights/routes-testing.ts'
import { changeSiteSettings } from '../../kernel/rights/site-settings.ts'
import { RIGHTS } from '../../kernel/rights/table.ts'
import { refuses } from '../../testing/act.ts'
import { testApp, testAppThatHears } from '../../testing/app.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { anAnnouncement } from '../../testing/posts.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { siteSettingsChange } from './operations.ts'

const PATH = '/settings/site'
const REQUIRED = { staff_second_factor: 'required', current_password: PASSWORD }
const SET_UP = '/settings/security#second-factor'

const aStaffPerson = (db: Database, isAdmin = false) => anOwner(db, { isAdmin })

/** A course with a learner's posts, and routes of staff filled in with them. */
async function aStaffedCourse(db: Database, app: FastifyInstance, isPublic = true) {
  const course = await aCourse(db)
  const asker = await aPerson(db)
  const question = await aQuestion(db, { course, author: asker })
  const answer = await anAnswer(db, { question, author: asker })
  const reply = await aReply(db, { answer, author: asker })
  await setRows(db, 'courses', course.id, { is_public: isPublic })
  const text = { title: 'The room', body: 'Another one.' }
  const announcement = await anAnnouncement(db, { courseId: course.id, authorId: asker.id, ...text })
  await within(db, makeEntry, { courseId: course.id, about: text, state: 'shown', position: null })
  const entry = await rowOf(db, 'faq_entries', { course_id: course.id })
  await reported(db, { about: 'question', id: question.id }, null, { reason: 'spam' })
  const { id: caseId } = await caseOf(db, { about: 'question', id: question.id })
  const act = {
    ...{ name: 'close', courseId: course.id, madeBy: asker.id, input: { reason: 'unclear' } },
    subjects: [{ kind: 'question', id: question.id }],
  } as const
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
    bulk: await within(db, recordAct, act),
  }
  const routes = staffRoutes(app).map(({ method, path, who }) => ({
    method,
    path: path.replace(/:\w+/, () => String(ids[path.split('/')[1] ?? ''])).replace(/:\w+/g, '1'),
    who,
  }))
  return { course, question, routes }
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
      const { app, db } = await aForum(t)
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
    const { app, db } = await aForum(t)
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
    const { app, db } = await aForum(t)
    const person = await aStaffPerson(db, true)
    const admin = await signedIn(app, person)
    assert.match((await admin.get('/settings')).body, /href="\/settings\/site"/)
    const required = { staff_second_factor: 'required' }
    const by = { actor: person, key: null }
    await refuses({ db }, siteSettingsChange, by, [[required, 'staff_second_factor: site.yoursFirst']])
    const { browser } = await aPasskey(app, person)
    await refuses({ db }, siteSettingsChange, by, [
      [{ staff_second_factor: 'x' }, 'staff_second_factor: forms.choice'],
      [{ ...required, case_months: '121' }, 'case_months: site.months.wrong'],
      [{ ...required, audit_months: '36', case_months: '6' }, 'done'],
      [{ staff_second_factor: 'optional' }, 'done'],
    ])
    const page = (await browser.get(PATH)).body
    const shown = ['staff_second_factor', 'audit_months', 'case_months'].map((name) => valueIn(page, name))
    assert.deepEqual(shown, ['optional', '36', '6'])
    const wrong = await browser.post(PATH, { ...REQUIRED, current_password: 'no' })
    assert.equal(wrong.statusCode, 422)
    assert.equal((await browser.post(PATH, REQUIRED)).headers.location, PATH)
    assert.equal(valueIn((await browser.get(PATH)).body, 'staff_second_factor'), 'required')
  })
})
