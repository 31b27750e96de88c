import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { leave } from '../../accounts/deletion/testing.ts'
import { takePendingRoles } from '../../kernel/rights/pending-roles.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { mergeAccounts } from '../merging/merge.ts'
import { hideCourse } from '../purging/course-deletion.ts'
import { suspend } from './acts-on-people.ts'
import { caseHandover, passOnStrandedCases } from './claims.ts'
import { measureEndingKind, object, objectionAnswer, objectionHandover } from './endings.ts'
import { forumOfCases } from './scene-testing.ts'
import { caseOf, decided, measuresOf, reported, toldOf } from './testing.ts'

suite('cases that their course can’t handle any more', () => {
  const forum = forumOfCases()

  /** An open case about a learner's answer in a course with one instructor, and an admin. */
  async function aScene() {
    const { app, db } = forum
    const course = await aCourse(db)
    const instructor = await aMember(db, course, 'instructor')
    const [author, reporter] = [await aMember(db, course), await aMember(db, course)]
    const admin = await aPerson(db, { isAdmin: true })
    const answer = await anAnswer(db, { question: await aQuestion(db, { course }), author })
    const subject = { about: 'answer', id: answer.id } as const
    await reported(db, subject, reporter.id)
    const matter = await caseOf(db, subject)
    const isForAdmins = async () => (await caseOf(db, subject)).is_for_admins
    return { app, db, course, instructor, author, reporter, admin, subject, matter, isForAdmins }
  }

  const handoversOf = async (caseId: number) =>
    (await rowsOf(forum.db, 'case_handovers', { case_id: caseId })).map((one) => [
      one.is_to_admins,
      one.handed_by,
    ])

  type Scene = Awaited<ReturnType<typeof aScene>>
  const WAYS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
    'its author instructs the course': ({ db, course, author }) => aMember(db, course, 'instructor', author),
    'the instructor’s account is merged into the author’s': ({ db, instructor, author }) => {
      const accounts = { fromId: instructor.id, intoId: author.id }
      return within(db, mergeAccounts, { ...accounts, actorId: null, formerName: 'Gone' })
    },
    'the instructor deletes their account': ({ db, instructor }) => leave(db, instructor.id, 'keep'),
    'a role that waited for its author’s address counts': async ({ db, course, author }) => {
      const waiting = { course_id: course.id, email: author.email, role: 'instructor' } as const
      await db.insertInto('pending_roles').values(waiting).execute()
      await within(db, takePendingRoles, author.id, author.email)
    },
    'its author is an admin': ({ db, author }) => setRows(db, 'people', author.id, { is_admin: true }),
    'the instructor is suspended': ({ db, admin, instructor, course }) => {
      const place = { personId: instructor.id, courseId: course.id }
      return within(db, suspend, admin.id, { ...place, until: null, note: '' })
    },
  }

  for (const [name, happens] of Object.entries(WAYS))
    test(`become the admins’ when ${name}`, async () => {
      const scene = await aScene()
      const { app, db, admin, author, matter, isForAdmins } = scene
      await passOnStrandedCases(db)
      assert.equal(await isForAdmins(), false)
      await happens(scene)
      await passOnStrandedCases(db)
      assert.equal(await isForAdmins(), true)
      assert.deepEqual(await toldOf(db, admin, matter.id), ['case'])
      const authorSees = await (await signedIn(app, author)).get('/notifications')
      assert.doesNotMatch(authorSees.body, /A case is waiting/)
    })

  test('are passed on once, by the job that ends measures, and listed and handled by the admins', async () => {
    const scene = await aScene()
    const { app, db, admin, course, author, matter } = scene
    await aMember(db, course, 'instructor', author)
    const jobs = [measureEndingKind(db), measureEndingKind(db)]
    await Promise.all(jobs.map((kind) => kind.plan?.()))
    const told = await rowsOf(db, 'notifications', { person_id: admin.id })
    await measureEndingKind(db).plan?.()
    assert.deepEqual(await toldOf(db, admin, matter.id), ['case'])
    assert.deepEqual(await rowsOf(db, 'notifications', { person_id: admin.id }), told, 'nobody is told again')
    assert.deepEqual(await handoversOf(matter.id), [[true, null]])
    const browser = await signedIn(app, admin)
    assert.ok((await browser.get('/moderation')).body.includes(`/cases/${matter.id}`))
    const page = await browser.get(`/cases/${matter.id}`)
    assert.match(textOf(page.body), /Passed on to the admins/)
    assert.doesNotMatch(page.body, /value="course"/, 'it can’t go back')
    const sent = { to: 'course', staff_note: 'Yours, then' }
    const back = await browser.post(`/cases/${matter.id}/handover`, sent)
    assert.equal(back.statusCode, 422)
    assert.match(textOf(back.body), /No one on the course’s staff can handle this case now.*Yours, then/s)
    assert.deepEqual(await markupMistakes(back.body), [])
    await aMember(db, course, 'instructor')
    await db.deleteFrom('course_members').where('person_id', '=', author.id).execute()
    assert.match((await browser.get(`/cases/${matter.id}`)).body, /value="course"/)
    assert.equal(await refusalOf(forum, caseHandover, { actor: admin, key: matter.id, input: sent }), 'done')
    await passOnStrandedCases(db)
    assert.equal(await scene.isForAdmins(), false)
  })

  test('stay where someone else handles them, and in a deleted course', async () => {
    const { db, course, author, isForAdmins } = await aScene()
    await aMember(db, course, 'assistant', author)
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), false, 'the instructor is above the assistant')
    await within(db, hideCourse, course.id)
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), false)
  })

  test('are passed on with an objection that waits', async () => {
    const { db, course, admin, instructor, author, matter, isForAdmins } = await aScene()
    await decided(db, instructor.id, matter, ['hide'])
    await aMember(db, course, 'instructor', author)
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), false, 'what is decided waits for nobody')
    const [measure] = await measuresOf(db, matter.id)
    assert.equal(await within(db, object, author.id, measure?.id ?? 0, 'No.'), true)
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), true)
    assert.deepEqual(await toldOf(db, admin, matter.id), ['objection'])
  })

  /** A decision of the only instructor, objected to. */
  async function anObjection() {
    const scene = await aScene()
    const { app, db, instructor, author, matter } = scene
    await decided(db, instructor.id, matter, ['hide'])
    const [measure] = await measuresOf(db, matter.id)
    const measureId = measure?.id ?? assert.fail('no measure')
    await within(db, object, author.id, measureId, 'It was fine.')
    const browser = await signedIn(app, instructor)
    const [page, path] = [`/cases/${matter.id}`, `/measures/${measureId}/objection`]
    return { ...scene, measureId, browser, page, path }
  }

  test('are passed on by the only one who could answer an objection, who decided', async () => {
    const scene = await anObjection()
    const { app, db, course, admin, instructor, author, matter, isForAdmins } = scene
    const { browser, page, path, measureId } = scene
    const shown = await browser.get(page)
    assert.ok(shown.body.includes(`action="${path}/handover"`))
    assert.ok(shown.body.includes(`action="${path}/answer"`), 'or they answer themselves')
    assert.deepEqual(await markupMistakes(shown.body), [])
    const other = await aMember(db, course, 'instructor')
    assert.ok(!(await browser.get(page)).body.includes('/handover"'))
    await db.deleteFrom('course_members').where('person_id', '=', other.id).execute()
    const asAuthor = { actor: author, key: measureId }
    assert.equal(await refusalOf(forum, objectionHandover, asAuthor), 'forbidden')
    assert.equal(await isForAdmins(), false)

    const done = await browser.post(`${path}/handover`, {})
    assert.equal(done.headers.location, `/courses/${course.slug}/moderation`)
    assert.equal(await isForAdmins(), true)
    assert.deepEqual(await toldOf(db, admin, matter.id), ['objection'])
    assert.deepEqual(await handoversOf(matter.id), [[true, instructor.id]])
    const answering = await signedIn(app, admin)
    assert.ok((await answering.get('/moderation?view=objections')).body.includes(page))
    await act(forum, objectionAnswer, { actor: admin, key: measureId, input: { value: 'lift' } })
    const late = await answering.post(`${path}/handover`, {})
    assert.equal(late.statusCode, 409)
    assert.match(textOf(late.body), /This objection was answered or passed on/)
  })

  test('are passed on three days after an objection that only the one who decided could answer', async () => {
    const { db, course, admin, matter, measureId, isForAdmins } = await anObjection()
    const of = { measure_id: measureId }
    const made = (days: number) =>
      setRows(db, 'objections', of, { made_at: sql`now() - ${days} * interval '1 day'` })
    await made(2)
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), false, 'not yet')
    await made(4)
    const other = await aMember(db, course, 'assistant')
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), false, 'someone else can answer')
    await db.deleteFrom('course_members').where('person_id', '=', other.id).execute()
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), true)
    assert.deepEqual(await toldOf(db, admin, matter.id), ['objection'])
  })
})
