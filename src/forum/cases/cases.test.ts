import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { doJobs } from '../../jobs/do-jobs.ts'
import { readActor } from '../../kernel/actor.ts'
import { suspensionIn } from '../../kernel/rights/person.ts'
import { changeSiteSettings } from '../../kernel/rights/site-settings.ts'
import { refusalOf } from '../../testing/act.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { endSuspensions, removePosts, suspend } from './acts-on-people.ts'
import { claimCase, handOver, releaseCase } from './claims.ts'
import { caseDecision } from './decision.ts'
import { answerObjection, measureEndingKind, object } from './endings.ts'
import { endMeasure } from './measures.ts'
import { listCases } from './pages/queue-page.ts'
import { redactCase, sweepCases } from './retention.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, decided, inWrite, measuresOf, reported, toldOf } from './testing.ts'

const TEXT = 'Just take mine: zyxsolution'

suite('cases', () => {
  const forum = forumOfCases()

  const aScene = () => aReportedScene(forum)
  const isShown = async (id: number) => (await rowOf(forum.db, 'answers', id)).is_shown
  async function suspensionOf(id: number, courseId: number | null) {
    const actor = await within(forum.db, readActor, { id })
    return suspensionIn(actor === null || actor === 'operator' ? [] : (actor.suspensions ?? []), courseId)
  }
  const textsOf = async (caseId: number) =>
    (await rowsOf(forum.db, 'case_snapshots', { case_id: caseId })).map(({ body }) => body)

  test('reports of one text are rows of one case, told to the staff of that course, each person’s once', async () => {
    const { db, subject, reporter, other, assistant, instructor, author } = await aScene()
    const elsewhere = await aMember(db, await aCourse(db), 'instructor')
    assert.equal(await reported(db, subject, reporter.id, { reason: 'rude', note: 'Unfriendly' }), 'sent')
    assert.equal(await reported(db, subject, other.id, { reason: 'solution' }), 'sent')
    assert.equal(await reported(db, subject, null), 'sent', 'a visitor, too')
    assert.equal(await reported(db, subject, reporter.id), 'again')
    const [matter, ...more] = await rowsOf(db, 'cases', { answer_id: subject.id })
    assert.deepEqual([matter?.reports_count, matter?.version, more], [3, 1, []])
    for (const staff of [assistant, instructor]) assert.deepEqual(await toldOf(db, staff), ['case'])
    for (const one of [author, reporter, elsewhere]) assert.deepEqual(await toldOf(db, one), [])
  })

  test('many report at once: one case, and all are counted', async () => {
    const { db, course, subject } = await aScene()
    const people = await Promise.all(Array.from({ length: 6 }, () => aMember(db, course)))
    await Promise.all(people.map(({ id }) => reported(db, subject, id)))
    const matter = await caseOf(db, subject)
    assert.equal(matter.reports_count, people.length)
    assert.equal((await rowsOf(db, 'reports', { case_id: matter.id })).length, people.length)
  })

  test('of two who decide at once one does, and deciding closes all reports', async () => {
    const { db, subject, reporter, other, assistant, instructor, author } = await aScene()
    await reported(db, subject, reporter.id)
    await reported(db, subject, other.id)
    const matter = await caseOf(db, subject)
    const outcomes = await Promise.all([
      decided(db, assistant.id, matter, ['hide', 'warn']),
      decided(db, instructor.id, matter, []),
    ])
    assert.deepEqual(outcomes.toSorted(), [false, true])
    const now = await caseOf(db, subject)
    assert.notEqual(now.state, 'open')
    assert.equal(now.claimed_by, null)
    for (const one of [reporter, other]) assert.deepEqual(await toldOf(db, one), ['report'])
    assert.deepEqual(await toldOf(db, author), now.state === 'upheld' ? ['measure'] : [])
    assert.equal(await isShown(subject.id), now.state === 'declined')
  })

  test('after a decision an unchanged text was reviewed; an edited one is reported anew', async () => {
    const { db, subject, reporter, other, assistant } = await aScene()
    await reported(db, subject, reporter.id, { reason: 'spam' })
    await decided(db, assistant.id, await caseOf(db, subject), [])
    for (const reason of ['spam', 'rude'] as const)
      assert.equal(await reported(db, subject, other.id, { reason }), 'reviewed')
    await setRows(db, 'answers', subject.id, { body: 'Worse.', version: 2 })
    assert.equal(await reported(db, subject, other.id), 'sent')
    assert.equal((await caseOf(db, subject)).state, 'open')
  })

  test('a report about another text keeps both, and makes who decides look again', async () => {
    const { db, subject, reporter, other, assistant } = await aScene()
    await reported(db, subject, reporter.id)
    const seen = await caseOf(db, subject)
    await setRows(db, 'answers', subject.id, { body: 'Write to me and I send it.', version: 2 })
    assert.equal(await reported(db, subject, other.id), 'sent')
    assert.equal(await reported(db, subject, reporter.id), 'sent', 'the same person, about another text')
    assert.equal(await decided(db, assistant.id, seen, []), false)
    assert.deepEqual((await textsOf(seen.id)).toSorted(), [TEXT, 'Write to me and I send it.'])
    assert.equal(await decided(db, assistant.id, await caseOf(db, subject), []), true)
  })

  test('a claim is of one case, lasts ten minutes, and a colleague doesn’t end it', async () => {
    const { db, subject, reporter, assistant, instructor, question } = await aScene()
    const about = [subject, { about: 'question', id: question.id }] as const
    for (const one of about) await reported(db, one, reporter.id)
    const [one, two] = [await caseOf(db, about[0]), await caseOf(db, about[1])]
    const claimants = async () =>
      valuesOf(await Promise.all(about.map((subject) => caseOf(db, subject))), 'claimed_by')
    await within(db, claimCase, one.id, assistant.id)
    await within(db, claimCase, one.id, instructor.id)
    await within(db, releaseCase, one.id, instructor.id)
    assert.deepEqual(await claimants(), [assistant.id, null])
    await within(db, claimCase, two.id, instructor.id)
    assert.deepEqual(await claimants(), [assistant.id, instructor.id])
    await setRows(db, 'cases', one.id, { claimed_until: sql`now() - interval '1 second'` })
    await within(db, claimCase, one.id, instructor.id)
    assert.deepEqual(await claimants(), [instructor.id, instructor.id])
  })

  test('ending a measure leaves what another case did', async () => {
    const { db, subject, reporter, instructor, judged } = await aScene()
    const first = await judged(['hide'])
    await setRows(db, 'answers', subject.id, { version: 2 })
    await reported(db, subject, reporter.id)
    const second = await caseOf(db, subject)
    assert.notEqual(second.id, first.id)
    await decided(db, instructor.id, second, ['hide', 'suspend'], { days: 7 })
    const lift = (measureId = 0) =>
      within(db, endMeasure, measureId, { how: 'lifted', actorId: instructor.id, note: '' })
    assert.notEqual(await lift(first.measureId), null)
    assert.equal(await lift(first.measureId), null, 'it ends once')
    assert.equal(await isShown(subject.id), false, 'the other case hides it')
    const [again, suspension] = await measuresOf(db, second.id)
    await lift(again?.id)
    assert.equal(await isShown(subject.id), true)
    assert.equal(suspension?.ended_at, null)
  })

  test('a suspension is of its place and its case, and ends by itself', async () => {
    const { db, course, reporter, author, instructor, judged } = await aScene()
    const place = { personId: author.id, courseId: course.id }
    const matter = await judged(['suspend', 'warn'], { days: 7, note: 'Be kind.' })
    assert.equal((await suspensionOf(author.id, course.id))?.note, 'Be kind.')
    for (const courseId of [(await aCourse(db)).id, null])
      assert.equal(await suspensionOf(author.id, courseId), null)
    const elsewhere = { about: 'question', id: (await aQuestion(db, { course, author })).id } as const
    await reported(db, elsewhere, reporter.id)
    await decided(db, instructor.id, await caseOf(db, elsewhere), [])
    assert.notEqual(await suspensionOf(author.id, course.id), null, 'declining another case changes nothing')
    await setRows(
      db,
      'measures',
      { person_id: author.id, kind: 'suspend' },
      { starts_at: sql`now() - interval '8 days'`, ends_at: sql`now() - interval '1 day'` },
    )
    assert.equal(await suspensionOf(author.id, course.id), null)
    const kind = measureEndingKind(db)
    await kind.plan?.()
    assert.equal(await doJobs(db, kind), 1)
    const ended = (await measuresOf(db, matter.id)).map(({ kind, ended_how: how }) => `${kind} ${how}`)
    assert.deepEqual(ended, ['suspend over', 'warn null'])
    const ending = { ...place, note: '' }
    assert.equal(await within(db, endSuspensions, instructor.id, ending), 0)
    for (const note of ['Again', 'Twice'])
      await within(db, suspend, instructor.id, { ...place, until: null, note })
    assert.equal(await within(db, endSuspensions, instructor.id, ending), 2)
  })

  test('no one handles what is about them or an equal, and nobody else finds it in a queue', async () => {
    const { db, course, question, assistant, instructor, reporter } = await aScene()
    const admin = await aPerson(db, { isAdmin: true })
    const colleague = await aMember(db, course, 'assistant')
    for (const author of [colleague, instructor])
      await reported(db, { about: 'answer', id: (await anAnswer(db, { question, author })).id }, reporter.id)
    const idsFor = async (id: number, role: 'assistant' | 'instructor' | null) => {
      const viewer = { id, isAdmin: role === null, roles: role === null ? {} : { [course.id]: role } }
      const asked = { viewer, courseId: role === null ? null : course.id, view: 'open' } as const
      const page = await listCases(db, asked, { after: null, before: null })
      return page.rows.map(({ person_id: id }) => id)
    }
    assert.deepEqual(await idsFor(assistant.id, 'assistant'), [])
    assert.deepEqual(await idsFor(colleague.id, 'assistant'), [])
    assert.deepEqual(await idsFor(instructor.id, 'instructor'), [colleague.id])
    assert.ok((await idsFor(admin.id, null)).includes(instructor.id))
    const { id: key, version } = await rowOf(db, 'cases', { person_id: colleague.id })
    const input = { decision: 'decline', version }
    for (const actor of [assistant, colleague])
      assert.equal(await refusalOf(forum, caseDecision, { actor, key, input }), 'notFound')
    assert.deepEqual(await toldOf(db, assistant), [])
    assert.ok((await toldOf(db, admin)).includes('case'))
  })

  test('an excerpt of the text is kept with its case and shown in the queue, and goes with a redaction', async () => {
    const { db, course, question, reporter, instructor, browsers } = await aScene()
    const body = `A **rude** word with \`code\`. ${'And so on, for very long. '.repeat(20)}`
    const subject = { about: 'answer', id: (await anAnswer(db, { question, body })).id } as const
    await reported(db, subject, reporter.id)
    const { id } = await caseOf(db, subject)
    const excerpt = async () => (await rowOf(db, 'case_snapshots', { case_id: id })).excerpt
    const kept = (await excerpt()) ?? ''
    assert.match(kept, /^A rude word with code\. And so on.*…$/)
    assert.ok([...kept].length <= 240)
    const queue = (await browsers.instructor.get(`/courses/${course.slug}/moderation`)).body
    assert.match(queue, />A rude word with code\. And so on/)
    await within(db, redactCase, instructor.id, id, 'asked')
    assert.equal(await excerpt(), null)
  })

  test('a case goes to the admins and back, with its reports', async () => {
    const { db, subject, course, author, reporter, assistant } = await aScene()
    const admin = await aPerson(db, { isAdmin: true })
    await reported(db, subject, reporter.id)
    const { id } = await caseOf(db, subject)
    const hand = (isToAdmins: boolean, actorId: number) =>
      within(db, handOver, actorId, id, { isToAdmins, note: 'Please look', of: 'case' })
    assert.equal(await hand(true, assistant.id), true)
    assert.equal(await hand(true, assistant.id), false)
    assert.equal((await caseOf(db, subject)).is_for_admins, true)
    assert.deepEqual(await toldOf(db, admin), ['case'])
    const removal = { personId: author.id, courseId: course.id, reason: 'spam', rule: '', note: '' } as const
    assert.equal(await within(db, removePosts, assistant.id, removal), 1)
    const { state } = await caseOf(db, subject)
    assert.equal(state, 'open', 'what is the admins’ is not decided by deleting the post')
    assert.equal(await hand(false, admin.id), true)
    const back = await caseOf(db, subject)
    assert.deepEqual([back.is_for_admins, back.reports_count, back.course_id], [false, 1, course.id])
  })

  test('objecting is once a measure, and whoever is right gets it lifted', async () => {
    const { db, subject, reporter, author, other, instructor, judged } = await aScene()
    const { measureId } = await judged(['hide'])
    const objecting = (personId: number) => within(db, object, personId, measureId, 'It was late.')
    assert.equal(await objecting(other.id), false, 'it isn’t about them')
    assert.equal(await objecting(author.id), true)
    assert.equal(await objecting(author.id), false)
    assert.deepEqual(await toldOf(db, instructor), ['objection'])
    const note = 'You’re right.'
    const answering = (outcome: 'lift' | 'keep') =>
      within(db, answerObjection, instructor.id, { measureId, outcome, note })
    const answers = await Promise.all([answering('lift'), answering('keep')])
    assert.deepEqual(answers.toSorted(), [false, true])
    const { outcome } = await rowOf(db, 'objections', { measure_id: measureId })
    assert.equal(await isShown(subject.id), outcome === 'lift')
    assert.deepEqual(await toldOf(db, author), ['objected'])
    assert.deepEqual(await toldOf(db, reporter), ['report'], 'who reported hears nothing of it')
  })

  test('evidence stays when the post or its author goes, until its term is over or an admin redacts it', async () => {
    const { db, subject, reporter, assistant, author } = await aScene()
    await reported(db, subject, reporter.id)
    const matter = await caseOf(db, subject)
    await db.deleteFrom('answers').where('id', '=', subject.id).execute()
    assert.deepEqual(await textsOf(matter.id), [TEXT])
    await decided(db, assistant.id, matter, ['warn', 'suspend'], { days: null })
    await sweepCases(db)
    assert.deepEqual(await textsOf(matter.id), [TEXT])
    await inWrite(db, (write) => redactCase(write, assistant.id, matter.id, 'Asked for'))
    assert.deepEqual(await textsOf(matter.id), [null])
    await setRows(db, 'cases', matter.id, { decided_at: sql`now() - interval '13 months'` })
    await changeSiteSettings(db, { caseMonths: 14 })
    await sweepCases(db)
    assert.deepEqual(await textsOf(matter.id), [null])
    await changeSiteSettings(db, { caseMonths: 12 })
    await sweepCases(db)
    assert.deepEqual(await textsOf(matter.id), [], 'the admins’ term')
    assert.equal((await caseOf(db, subject)).reports_count, 1, 'a suspension in force keeps its case')
    await setRows(db, 'measures', { person_id: author.id }, { ended_at: new Date(), ended_how: 'lifted' })
    await sweepCases(db)
    assert.deepEqual(await rowsOf(db, 'cases', matter.id), [])
  })
})
