import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { doJobs } from '../../jobs/do-jobs.ts'
import { readActor } from '../../kernel/actor.ts'
import { suspensionIn } from '../../kernel/rights/person.ts'
import { changeSiteSettings } from '../../kernel/rights/site-settings.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { endSuspensions, removePosts, suspend } from './acts-on-people.ts'
import { claimCase, handOver, releaseCase } from './claims.ts'
import { answerObjection, measureEndingKind, object } from './endings.ts'
import { endMeasure } from './measures.ts'
import { listCases } from './pages/queue-page.ts'
import { redactCase, sweepCases } from './retention.ts'
import { caseOf, decided, inWrite, measuresOf, reported } from './testing.ts'

suite('cases', () => {
  const forum = sharedForum()

  /** A course with staff, and an answer of a learner. */
  async function aScene() {
    const { db } = forum
    const course = await aCourse(db)
    const [assistant, instructor] = [
      await aMember(db, course, 'assistant'),
      await aMember(db, course, 'instructor'),
    ]
    const [author, reporter, other] = [
      await aMember(db, course),
      await aMember(db, course),
      await aMember(db, course),
    ]
    const question = await aQuestion(db, { course, title: 'Where is it?' })
    const answer = await anAnswer(db, { question, author, body: 'Did you even watch the lecture?' })
    const subject = { about: 'answer', id: answer.id } as const
    return { db, course, assistant, instructor, author, reporter, other, question, answer, subject }
  }

  const postOf = async (id: number) =>
    forum.db.selectFrom('answers').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  async function suspensionOf(id: number, courseId: number | null) {
    const actor = await inWrite(forum.db, (write) => readActor(write, { id }))
    return suspensionIn(actor === null || actor === 'operator' ? [] : (actor.suspensions ?? []), courseId)
  }
  const toldOf = async (personId: number) =>
    (
      await forum.db
        .selectFrom('notifications')
        .select('reason')
        .where('person_id', '=', personId)
        .where('case_id', 'is not', null)
        .execute()
    ).map(({ reason }) => reason)

  test('reports of one text are rows of one case, told to the staff of that course, each person’s once', async () => {
    const { db, subject, reporter, other, assistant, instructor, author } = await aScene()
    const elsewhere = await aMember(db, await aCourse(db), 'instructor')
    assert.equal(await reported(db, subject, reporter.id, { reason: 'rude', note: 'Unfriendly' }), 'sent')
    assert.equal(await reported(db, subject, other.id, { reason: 'solution' }), 'sent')
    assert.equal(await reported(db, subject, null), 'sent', 'a visitor, too')
    assert.equal(await reported(db, subject, reporter.id), 'again')
    const matter = await caseOf(db, subject)
    assert.equal(matter.reports_count, 3)
    assert.equal(matter.version, 1)
    const cases = await db.selectFrom('cases').select('id').where('subject', '=', matter.subject).execute()
    assert.equal(cases.length, 1)
    assert.deepEqual(await toldOf(assistant.id), ['case'])
    assert.deepEqual(await toldOf(instructor.id), ['case'])
    for (const { id } of [author, reporter, elsewhere]) assert.deepEqual(await toldOf(id), [])
  })

  test('many report at once: one case, and all are counted', async () => {
    const { db, course, subject } = await aScene()
    const people = await Promise.all(Array.from({ length: 6 }, () => aMember(db, course)))
    await Promise.all(people.map(({ id }) => reported(db, subject, id)))
    const matter = await caseOf(db, subject)
    assert.equal(matter.reports_count, people.length)
    const kept = await db.selectFrom('reports').select('id').where('case_id', '=', matter.id).execute()
    assert.equal(kept.length, people.length)
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
    for (const { id } of [reporter, other]) assert.deepEqual(await toldOf(id), ['report'])
    assert.deepEqual(await toldOf(author.id), now.state === 'upheld' ? ['measure'] : [])
    assert.equal((await postOf(subject.id)).is_shown, now.state === 'declined')
  })

  test('after a decision an unchanged text was reviewed; an edited one is reported anew', async () => {
    const { db, subject, reporter, other, assistant } = await aScene()
    await reported(db, subject, reporter.id, { reason: 'spam' })
    await decided(db, assistant.id, await caseOf(db, subject), [])
    for (const reason of ['spam', 'rude'] as const)
      assert.equal(await reported(db, subject, other.id, { reason }), 'reviewed')
    await db.updateTable('answers').set({ body: 'Worse.', version: 2 }).where('id', '=', subject.id).execute()
    assert.equal(await reported(db, subject, other.id), 'sent')
    assert.equal((await caseOf(db, subject)).state, 'open')
  })

  test('a report about another text keeps both, and makes who decides look again', async () => {
    const { db, subject, reporter, other, assistant } = await aScene()
    await reported(db, subject, reporter.id)
    const seen = await caseOf(db, subject)
    await db
      .updateTable('answers')
      .set({ body: 'Write to me and I send it.', version: 2 })
      .where('id', '=', subject.id)
      .execute()
    assert.equal(await reported(db, subject, other.id), 'sent')
    assert.equal(await reported(db, subject, reporter.id), 'sent', 'the same person, about another text')
    assert.equal(await decided(db, assistant.id, seen, []), false)
    const kept = await db
      .selectFrom('case_snapshots')
      .select(['text_version', 'body'])
      .where('case_id', '=', seen.id)
      .orderBy('text_version')
      .execute()
    assert.deepEqual(
      kept.map(({ body }) => body),
      ['Did you even watch the lecture?', 'Write to me and I send it.'],
    )
    assert.equal(await decided(db, assistant.id, await caseOf(db, subject), []), true)
  })

  test('a claim is of one case, lasts ten minutes, and a colleague doesn’t end it', async () => {
    const { db, subject, reporter, assistant, instructor, question } = await aScene()
    await reported(db, subject, reporter.id)
    await reported(db, { about: 'question', id: question.id }, reporter.id)
    const [one, two] = [await caseOf(db, subject), await caseOf(db, { about: 'question', id: question.id })]
    await inWrite(db, (write) => claimCase(write, one.id, assistant.id))
    await inWrite(db, (write) => claimCase(write, one.id, instructor.id))
    assert.equal((await caseOf(db, subject)).claimed_by, assistant.id)
    await inWrite(db, (write) => releaseCase(write, one.id, instructor.id))
    assert.equal((await caseOf(db, subject)).claimed_by, assistant.id)
    await inWrite(db, (write) => claimCase(write, two.id, instructor.id))
    assert.equal((await caseOf(db, { about: 'question', id: question.id })).claimed_by, instructor.id)
    await sql`update cases set claimed_until = now() - interval '1 second' where id = ${one.id}`.execute(db)
    await inWrite(db, (write) => claimCase(write, one.id, instructor.id))
    assert.equal((await caseOf(db, subject)).claimed_by, instructor.id)
  })

  test('ending a measure leaves what another case did', async () => {
    const { db, subject, reporter, assistant, instructor } = await aScene()
    await reported(db, subject, reporter.id)
    const first = await caseOf(db, subject)
    await decided(db, assistant.id, first, ['hide'])
    await db.updateTable('answers').set({ version: 2 }).where('id', '=', subject.id).execute()
    await reported(db, subject, reporter.id)
    const second = await caseOf(db, subject)
    assert.notEqual(second.id, first.id)
    await decided(db, instructor.id, second, ['hide', 'suspend'], { days: 7 })
    const [hide] = await measuresOf(db, first.id)
    const lift = (measureId: number) =>
      inWrite(db, (write) =>
        endMeasure(write, measureId, { how: 'lifted', actorId: instructor.id, note: '' }),
      )
    assert.notEqual(await lift(hide?.id ?? 0), null)
    assert.equal(await lift(hide?.id ?? 0), null, 'it ends once')
    assert.equal((await postOf(subject.id)).is_shown, false, 'the other case hides it')
    const [again, suspension] = await measuresOf(db, second.id)
    await lift(again?.id ?? 0)
    assert.equal((await postOf(subject.id)).is_shown, true)
    assert.equal(suspension?.ended_at, null)
  })

  test('a suspension is of its place and its case, and ends by itself', async () => {
    const { db, subject, course, reporter, author, assistant, instructor, question } = await aScene()
    const place = { personId: author.id, courseId: course.id }
    await reported(db, subject, reporter.id)
    await decided(db, assistant.id, await caseOf(db, subject), ['suspend', 'warn'], {
      days: 7,
      note: 'Be kind.',
    })
    const suspended = await suspensionOf(author.id, course.id)
    assert.equal(suspended?.note, 'Be kind.')
    assert.equal(await suspensionOf(author.id, (await aCourse(db)).id), null)
    assert.equal(await suspensionOf(author.id, null), null)
    const elsewhere = await aQuestion(db, { course, author })
    await reported(db, { about: 'question', id: elsewhere.id }, reporter.id)
    await decided(db, instructor.id, await caseOf(db, { about: 'question', id: elsewhere.id }), [])
    assert.notEqual(await suspensionOf(author.id, course.id), null, 'declining another case changes nothing')
    await sql`update measures set starts_at = now() - interval '8 days', ends_at = now() - interval '1 day' where kind = 'suspend'
      and person_id = ${author.id}`.execute(db)
    assert.equal(await suspensionOf(author.id, course.id), null)
    const kind = measureEndingKind(db)
    await kind.plan?.()
    assert.equal(await doJobs(db, kind), 1)
    const matter = await caseOf(db, subject)
    const measures = await measuresOf(db, matter.id)
    assert.deepEqual(
      measures.map(({ kind, ended_how: how }) => [kind, how]),
      [
        ['suspend', 'over'],
        ['warn', null],
      ],
    )
    assert.equal(
      await inWrite(db, (write) => endSuspensions(write, instructor.id, { ...place, note: '' })),
      0,
    )
    await inWrite(db, (write) => suspend(write, instructor.id, { ...place, until: null, note: 'Again' }))
    await inWrite(db, (write) => suspend(write, instructor.id, { ...place, until: null, note: 'Twice' }))
    assert.equal(
      await inWrite(db, (write) => endSuspensions(write, instructor.id, { ...place, note: '' })),
      2,
    )
    assert.equal(question.id > 0, true)
  })

  test('no one handles what is about them or an equal, and nobody else finds it in a queue', async () => {
    const { db, course, assistant, instructor, reporter } = await aScene()
    const admin = await aPerson(db, { isAdmin: true })
    const colleague = await aMember(db, course, 'assistant')
    const byAssistant = await anAnswer(db, { question: await aQuestion(db, { course }), author: colleague })
    const byInstructor = await anAnswer(db, { question: await aQuestion(db, { course }), author: instructor })
    await reported(db, { about: 'answer', id: byAssistant.id }, reporter.id)
    await reported(db, { about: 'answer', id: byInstructor.id }, reporter.id)
    const idsFor = async (
      person: { id: number },
      role: 'assistant' | 'instructor' | null,
      courseId: number | null,
    ) => {
      const viewer = {
        id: person.id,
        isAdmin: role === null,
        roles: role === null ? {} : { [course.id]: role },
      }
      const page = await listCases(db, { viewer, courseId, view: 'open' }, { after: null, before: null })
      return page.rows.map(({ person_id: id }) => id)
    }
    assert.deepEqual(await idsFor(assistant, 'assistant', course.id), [])
    assert.deepEqual(await idsFor(colleague, 'assistant', course.id), [])
    assert.deepEqual(await idsFor(instructor, 'instructor', course.id), [colleague.id])
    assert.ok((await idsFor(admin, null, null)).includes(instructor.id))
    assert.deepEqual(await toldOf(assistant.id), [])
    assert.ok((await toldOf(admin.id)).includes('case'))
  })

  test('a case goes to the admins and back, with its reports', async () => {
    const { db, subject, course, author, reporter, assistant } = await aScene()
    const admin = await aPerson(db, { isAdmin: true })
    await reported(db, subject, reporter.id)
    const matter = await caseOf(db, subject)
    const hand = (isToAdmins: boolean, actorId: number) =>
      inWrite(db, (write) =>
        handOver(write, actorId, matter.id, { isToAdmins, note: 'Please look', of: 'case' }),
      )
    assert.equal(await hand(true, assistant.id), true)
    assert.equal(await hand(true, assistant.id), false)
    assert.equal((await caseOf(db, subject)).is_for_admins, true)
    assert.deepEqual(await toldOf(admin.id), ['case'])
    const removal = { personId: author.id, courseId: course.id, reason: 'spam', rule: '', note: '' } as const
    assert.equal(await inWrite(db, (write) => removePosts(write, assistant.id, removal)), 1)
    assert.equal(
      (await caseOf(db, subject)).state,
      'open',
      'what is the admins’ is not decided by deleting the post',
    )
    assert.equal(await hand(false, admin.id), true)
    const back = await caseOf(db, subject)
    assert.equal(back.is_for_admins, false)
    assert.equal(back.reports_count, 1)
    assert.equal(back.course_id, course.id)
  })

  test('objecting is once a measure, and whoever is right gets it lifted', async () => {
    const { db, subject, reporter, author, other, assistant, instructor } = await aScene()
    await reported(db, subject, reporter.id)
    await decided(db, assistant.id, await caseOf(db, subject), ['hide'])
    const [measure] = await measuresOf(db, (await caseOf(db, subject)).id)
    const measureId = measure?.id ?? 0
    const objecting = (personId: number) =>
      inWrite(db, (write) => object(write, personId, measureId, 'It was late.'))
    assert.equal(await objecting(other.id), false, 'it isn’t about them')
    assert.equal(await objecting(author.id), true)
    assert.equal(await objecting(author.id), false)
    assert.deepEqual(await toldOf(instructor.id), ['objection'])
    const answers = await Promise.all(
      (['lift', 'keep'] as const).map((outcome) =>
        inWrite(db, (write) =>
          answerObjection(write, instructor.id, { measureId, outcome, note: 'You’re right.' }),
        ),
      ),
    )
    assert.deepEqual(answers.toSorted(), [false, true])
    const { outcome } = await db.selectFrom('objections').select('outcome').executeTakeFirstOrThrow()
    assert.equal((await postOf(subject.id)).is_shown, outcome === 'lift')
    assert.deepEqual(await toldOf(author.id), ['objected'])
    assert.deepEqual(await toldOf(reporter.id), ['report'], 'who reported hears nothing of it')
  })

  test('evidence stays when the post or its author goes, until its term is over or an admin redacts it', async () => {
    const { db, subject, reporter, assistant, author } = await aScene()
    await reported(db, subject, reporter.id)
    const matter = await caseOf(db, subject)
    await db.deleteFrom('answers').where('id', '=', subject.id).execute()
    const textsOf = async () =>
      (await db.selectFrom('case_snapshots').select('body').where('case_id', '=', matter.id).execute()).map(
        ({ body }) => body,
      )
    assert.deepEqual(await textsOf(), ['Did you even watch the lecture?'])
    await decided(db, assistant.id, matter, ['warn', 'suspend'], { days: null })
    await sweepCases(db)
    assert.deepEqual(await textsOf(), ['Did you even watch the lecture?'])
    await inWrite(db, (write) => redactCase(write, assistant.id, matter.id, 'Asked for'))
    assert.deepEqual(await textsOf(), [null])
    await sql`update cases set decided_at = now() - interval '13 months' where id = ${matter.id}`.execute(db)
    await changeSiteSettings(db, { caseMonths: 14 })
    await sweepCases(db)
    assert.deepEqual(await textsOf(), [null], 'the admins’ term')
    await changeSiteSettings(db, { caseMonths: 12 })
    await sweepCases(db)
    assert.deepEqual(await textsOf(), [])
    assert.equal((await caseOf(db, subject)).reports_count, 1, 'a suspension in force keeps its case')
    await sql`update measures set ended_at = now(), ended_how = 'lifted' where person_id = ${author.id}`.execute(
      db,
    )
    await sweepCases(db)
    assert.deepEqual(await db.selectFrom('cases').select('id').where('id', '=', matter.id).execute(), [])
  })
})
