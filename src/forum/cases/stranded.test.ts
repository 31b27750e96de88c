import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { leave } from '../../accounts/deletion/testing.ts'
import { takePendingRoles } from '../../kernel/rights/pending-roles.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { addMember } from '../courses/commands.ts'
import { mergeAccounts } from '../merging/merge.ts'
import { hideCourse } from '../purging/course-deletion.ts'
import { suspend } from './acts-on-people.ts'
import { passOnStrandedCases } from './claims.ts'
import { measureEndingKind, object } from './endings.ts'
import { caseOf, decided, inWrite, measuresOf, reported } from './testing.ts'

suite('cases that their course can’t handle any more', () => {
  const forum = sharedForum()

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

  const toldOf = (personId: number, caseId: number) =>
    forum.db
      .selectFrom('notifications')
      .select(['reason', 'since_at'])
      .where('person_id', '=', personId)
      .where('case_id', '=', caseId)
      .execute()

  type Scene = Awaited<ReturnType<typeof aScene>>
  const WAYS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
    'its author instructs the course': ({ db, course, author }) =>
      inWrite(db, (write) => addMember(write, course.id, author.id, 'instructor')),
    'the instructor’s account is merged into the author’s': ({ db, instructor, author }) =>
      inWrite(db, (write) =>
        mergeAccounts(write, { fromId: instructor.id, intoId: author.id, actorId: null, formerName: 'Gone' }),
      ),
    'the instructor deletes their account': ({ db, instructor }) => leave(db, instructor.id, 'keep'),
    'a role that waited for its author’s address counts': async ({ db, course, author }) => {
      await db
        .insertInto('pending_roles')
        .values({ course_id: course.id, email: author.email, role: 'instructor' })
        .execute()
      await inWrite(db, (write) => takePendingRoles(write, author.id, author.email))
    },
    'its author is an admin': ({ db, author }) =>
      db.updateTable('people').set({ is_admin: true }).where('id', '=', author.id).execute(),
    'the instructor is suspended': ({ db, admin, instructor, course }) =>
      inWrite(db, (write) =>
        suspend(write, admin.id, {
          ...{ personId: instructor.id, courseId: course.id },
          ...{ until: null, note: '' },
        }),
      ),
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
      assert.deepEqual(
        (await toldOf(admin.id, matter.id)).map(({ reason }) => reason),
        ['case'],
      )
      const authorSees = await (await signedIn(app, author)).get('/notifications')
      assert.doesNotMatch(authorSees.body, /A case is waiting/)
    })

  test('are passed on once, by the job that ends measures, and listed and handled by the admins', async () => {
    const scene = await aScene()
    const { app, db, admin, course, author, matter } = scene
    await addMemberAs(scene, author.id, 'instructor')
    const jobs = [measureEndingKind(db), measureEndingKind(db)]
    await Promise.all(jobs.map((kind) => kind.plan?.()))
    const told = await toldOf(admin.id, matter.id)
    assert.equal(told.length, 1)
    await measureEndingKind(db).plan?.()
    assert.deepEqual(await toldOf(admin.id, matter.id), told, 'nobody is told again')
    const handovers = await db
      .selectFrom('case_handovers')
      .select(['is_to_admins', 'handed_by'])
      .where('case_id', '=', matter.id)
      .execute()
    assert.deepEqual(handovers, [{ is_to_admins: true, handed_by: null }])
    const browser = await signedIn(app, admin)
    assert.ok((await browser.get('/moderation')).body.includes(`/cases/${matter.id}`))
    const page = await browser.get(`/cases/${matter.id}`)
    assert.match(textOf(page.body), /Passed on to the admins/)
    assert.doesNotMatch(page.body, /value="course"/, 'it can’t go back')
    const back = await browser.post(`/cases/${matter.id}/handover`, {
      to: 'course',
      staff_note: 'Yours, then',
    })
    assert.equal(back.statusCode, 422)
    assert.match(textOf(back.body), /No one on the course’s staff can handle this case now.*Yours, then/s)
    assert.deepEqual(await markupMistakes(back.body), [])
    await aMember(db, course, 'instructor')
    await db.deleteFrom('course_members').where('person_id', '=', author.id).execute()
    assert.match((await browser.get(`/cases/${matter.id}`)).body, /value="course"/)
    const again = { to: 'course', staff_note: 'Now' }
    assert.equal((await browser.post(`/cases/${matter.id}/handover`, again)).statusCode, 303)
    await passOnStrandedCases(db)
    assert.equal((await caseOf(db, scene.subject)).is_for_admins, false)
  })

  test('stay where someone else handles them, and in a deleted course', async () => {
    const scene = await aScene()
    const { db, course, author, isForAdmins } = scene
    await addMemberAs(scene, author.id, 'assistant')
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), false, 'the instructor is above the assistant')
    await inWrite(db, (write) => hideCourse(write, course.id))
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), false)
  })

  test('are passed on with an objection that waits', async () => {
    const scene = await aScene()
    const { db, admin, instructor, author, matter, isForAdmins } = scene
    await decided(db, instructor.id, matter, ['hide'])
    await addMemberAs(scene, author.id, 'instructor')
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), false, 'what is decided waits for nobody')
    const [measure] = await measuresOf(db, matter.id)
    assert.equal(await inWrite(db, (write) => object(write, author.id, measure?.id ?? 0, 'No.')), true)
    await passOnStrandedCases(db)
    assert.equal(await isForAdmins(), true)
    assert.deepEqual(
      (await toldOf(admin.id, matter.id)).map(({ reason }) => reason),
      ['objection'],
    )
  })

  /** A decision of the only instructor, objected to. */
  async function anObjection() {
    const scene = await aScene()
    const { app, db, instructor, author, matter } = scene
    await decided(db, instructor.id, matter, ['hide'])
    const [measure] = await measuresOf(db, matter.id)
    const measureId = measure?.id ?? assert.fail('no measure')
    await inWrite(db, (write) => object(write, author.id, measureId, 'It was fine.'))
    const browser = await signedIn(app, instructor)
    const [page, path] = [`/cases/${matter.id}`, `/measures/${measureId}/objection`]
    return { ...scene, measureId, browser, page, path }
  }

  test('are passed on by the only one who could answer an objection, who decided', async () => {
    const scene = await anObjection()
    const { app, db, course, admin, instructor, author, matter, browser, page, path, isForAdmins } = scene
    const shown = await browser.get(page)
    assert.ok(shown.body.includes(`action="${path}/handover"`))
    assert.ok(shown.body.includes(`action="${path}/answer"`), 'or they answer themselves')
    assert.deepEqual(await markupMistakes(shown.body), [])
    const other = await aMember(db, course, 'instructor')
    assert.ok(!(await browser.get(page)).body.includes('/handover"'))
    await db.deleteFrom('course_members').where('person_id', '=', other.id).execute()
    assert.equal((await (await signedIn(app, author)).post(`${path}/handover`, {})).statusCode, 404)
    assert.equal(await isForAdmins(), false)

    const done = await browser.post(`${path}/handover`, {})
    assert.equal(done.headers.location, `/courses/${course.slug}/moderation`)
    assert.equal(await isForAdmins(), true)
    assert.deepEqual(
      (await toldOf(admin.id, matter.id)).map(({ reason }) => reason),
      ['objection'],
    )
    const handover = db.selectFrom('case_handovers').select(['is_to_admins', 'handed_by'])
    assert.deepEqual(await handover.where('case_id', '=', matter.id).execute(), [
      { is_to_admins: true, handed_by: instructor.id },
    ])
    const answering = await signedIn(app, admin)
    assert.ok((await answering.get('/moderation?view=objections')).body.includes(page))
    assert.equal((await answering.post(`${path}/answer`, { value: 'lift' })).statusCode, 303)
    const late = await answering.post(`${path}/handover`, {})
    assert.equal(late.statusCode, 409)
    assert.match(textOf(late.body), /This objection was answered or passed on/)
  })

  test('are passed on three days after an objection that only the one who decided could answer', async () => {
    const { db, course, admin, matter, measureId, isForAdmins } = await anObjection()
    const made = (days: number) =>
      db
        .updateTable('objections')
        .set({ made_at: sql`now() - ${days} * interval '1 day'` })
        .where('measure_id', '=', measureId)
        .execute()
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
    assert.deepEqual(
      (await toldOf(admin.id, matter.id)).map(({ reason }) => reason),
      ['objection'],
    )
  })

  async function addMemberAs({ db, course }: Scene, personId: number, role: 'assistant' | 'instructor') {
    await inWrite(db, (write) => addMember(write, course.id, personId, role))
  }
})
