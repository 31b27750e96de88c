import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { PASSWORD } from '../../accounts/testing.ts'
import { aToken } from '../../accounts/tokens/testing.ts'
import { aProgram } from '../../doors/api/testing.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { recordOf } from './find.ts'
import { caseLettersKind } from './letters.ts'
import { caseOf, decided, measuresOf, reported } from './testing.ts'

const LETTERS = { baseUrl: 'https://forum.example', timeZone: 'UTC' }

/** Mistakes that other forums made in moderating. */
suite('what went wrong elsewhere', () => {
  const forum = sharedForum()

  async function aScene({ isAnonymous = false } = {}) {
    const { app, db } = forum
    const course = await aCourse(db)
    const instructor = await aMember(db, course, 'instructor')
    const author = await aPerson(db, { displayName: 'Zyxauthor' })
    await aMember(db, course, 'learner', author)
    const question = await aQuestion(db, { course })
    // So long ago that an edit keeps what it replaces.
    const writtenAt = new Date(Date.now() - 3_600_000)
    const answer = await anAnswer(db, { question, author, body: 'Zyxtext', isAnonymous, writtenAt })
    const subject = { about: 'answer', id: answer.id } as const
    const by = { instructor: await signedIn(app, instructor), author: await signedIn(app, author) }
    return { app, db, course, instructor, author, question, answer, subject, by }
  }

  test('a warning is no suspension', async () => {
    const { db, subject, instructor, question, by } = await aScene()
    await reported(db, subject, null)
    await decided(db, instructor.id, await caseOf(db, subject), ['warn'])
    assert.equal(
      (await by.author.post(`/questions/${question.id}/answers`, { body: 'Fine.' })).statusCode,
      303,
    )
    const standing = await by.author.get('/settings/standing')
    assert.match(standing.body, /Warned/)
    assert.doesNotMatch(standing.body, /Suspended/)
  })

  test('no one else’s staff reach a case, its measures or its queue by their numbers', async () => {
    const { app, db, course, subject, instructor } = await aScene()
    await reported(db, subject, null)
    const { id, version } = await caseOf(db, subject)
    const elsewhere = await signedIn(app, await aMember(db, await aCourse(db), 'instructor'))
    assert.equal((await elsewhere.get(`/cases/${id}`)).statusCode, 404)
    assert.equal((await elsewhere.get(`/courses/${course.slug}/moderation`)).statusCode, 403)
    const decline = { decision: 'decline', version }
    assert.equal((await elsewhere.post(`/cases/${id}/decision`, decline)).statusCode, 404)
    assert.equal((await elsewhere.post(`/cases/${id}/handover`, { to: 'admins' })).statusCode, 404)
    await decided(db, instructor.id, { id, version }, ['hide'])
    const [measure] = await measuresOf(db, id)
    assert.equal((await elsewhere.post(`/measures/${measure?.id}/end`, {})).statusCode, 404)
    assert.equal((await measuresOf(db, id))[0]?.ended_at, null)
  })

  test('who was never suspended isn’t told that they are no longer', async () => {
    const { db, course, author, by } = await aScene()
    const end = `/people/${author.id}/suspension/end`
    assert.equal((await by.instructor.post(end, { course: course.slug })).statusCode, 303)
    const told = await db
      .selectFrom('notifications')
      .select('id')
      .where('person_id', '=', author.id)
      .execute()
    const letters = await db.selectFrom('jobs').select('key').where('key', 'like', 'ended-%').execute()
    const cases = await db.selectFrom('cases').select('id').where('person_id', '=', author.id).execute()
    assert.deepEqual([told, letters, cases], [[], [], []])
  })

  test('the text stays with the case when its author deletes the account and all posts', async () => {
    const { app, db, author, subject, by } = await aScene()
    await reported(db, subject, null)
    const { id } = await caseOf(db, subject)
    const hashed = { password_hash: await hashPassword(PASSWORD) }
    await db.updateTable('people').set(hashed).where('id', '=', author.id).execute()
    const left = await by.author.post('/settings/account/delete', {
      posts: 'delete',
      current_password: PASSWORD,
    })
    assert.equal(left.headers.location, '/')
    const page = await by.instructor.get(`/cases/${id}`)
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /Zyxtext/)
    assert.doesNotMatch(page.body, /Zyxauthor/)
    assert.equal((await visitor(app).get(`/answers/${subject.id}/reports`)).statusCode, 410)
  })

  test('reporting someone anonymous tells no name, nor does what they see of it', async () => {
    const { app, db, course, subject, question, by } = await aScene({ isAnonymous: true })
    const classmate = await signedIn(app, await aMember(db, course))
    for (const reader of [classmate, visitor(app)]) {
      assert.doesNotMatch((await reader.get(`/answers/${subject.id}/reports`)).body, /Zyxauthor/)
      const sent = await reader.post(`/answers/${subject.id}/reports`, { reason: 'rude' })
      assert.equal(sent.statusCode, 303)
      assert.doesNotMatch((await reader.follow(sent)).body, /Zyxauthor/)
    }
    assert.doesNotMatch((await classmate.get('/notifications')).body, /Zyxauthor/)
    const { id, version } = await caseOf(db, subject)
    const decision = { decision: 'uphold', version, measure: 'warn' }
    assert.equal((await by.instructor.post(`/cases/${id}/decision`, decision)).statusCode, 303)
    assert.doesNotMatch((await classmate.get('/notifications')).body, /Zyxauthor/)
    const thread = await classmate.follow(await classmate.get(`/questions/${question.id}`))
    assert.match(thread.body, /Zyxtext/)
    assert.doesNotMatch(thread.body, /Zyxauthor/)
  })

  test('who is anonymous is named beside a case, in its audit log and to programs, for the staff of that course alone', async () => {
    const { app, db, course, subject, author, by, ...scene } = await aScene({ isAnonymous: true })
    const elsewhere = await aCourse(db)
    // Staff of one course, and a classmate in the other.
    const classmate = await aMember(db, elsewhere, 'instructor', await aMember(db, course))
    await aMember(db, elsewhere, 'learner', author)
    const named = await anAnswer(db, { question: await aQuestion(db, { course: elsewhere }), author })
    const other = { about: 'answer', id: named.id } as const
    for (const one of [subject, other]) await reported(db, one, null)
    const [{ id, version }, { id: there }] = [await caseOf(db, subject), await caseOf(db, other)]
    const decision = { decision: 'uphold', version, measure: 'warn', rule: 'Zyxrule' }
    assert.equal((await by.instructor.post(`/cases/${id}/decision`, decision)).statusCode, 303)
    const suspension = { course: course.slug, reason: 'rude', note: 'Zyxnote' }
    assert.equal((await by.instructor.post(`/people/${author.id}/suspension`, suspension)).statusCode, 303)

    const assistant = await aMember(db, course, 'assistant')
    const admin = await aPerson(db, { isAdmin: true })
    const people = {
      classmate,
      learner: await aMember(db, course),
      instructor: scene.instructor,
      assistant,
      admin,
    }
    const ofCase = [`/cases/${id}`, `/courses/${course.slug}/moderation?view=decided`]
    const ofAudit = [`/courses/${course.slug}/audit`, `/courses/${course.slug}/audit.csv`]
    const forPrograms = [`/cases/${id}`, `/courses/${course.slug}/cases?view=decided`]
    const told: Record<string, (readonly [number, boolean])[]> = {}
    for (const [name, person] of Object.entries(people)) {
      const browser = await signedIn(app, person)
      const program = aProgram(app, await aToken({ db }, person, ['read', 'staff']))
      const answers = []
      for (const path of [...ofCase, ...ofAudit]) answers.push(await browser.get(path))
      for (const path of forPrograms) answers.push(await program.get(path))
      told[name] = answers.map(({ statusCode, body }) => [statusCode, body.includes('Zyxauthor')] as const)
    }
    const [names, refused, absent] = [
      [200, true],
      [403, false],
      [404, false],
    ] as const
    // The file has numbers of accounts and names of those who acted.
    const all = [names, names, names, [200, false], names, names]
    assert.deepEqual(told, {
      ...{ classmate: [absent, refused, refused, refused, absent, refused] },
      ...{ learner: [absent, refused, refused, refused, absent, refused] },
      ...{ assistant: [names, names, refused, refused, names, names], instructor: all, admin: all },
    })

    // Beside a case under the name, the staff of another course find nothing of what was anonymous here.
    const reader = await signedIn(app, classmate)
    const page = textOf((await reader.get(`/cases/${there}`)).body)
    assert.match(page, /Zyxauthor/)
    assert.doesNotMatch(page, /Zyxrule|Zyxnote|Warn(?:ed|ing given)|Suspended/)
    const program = aProgram(app, await aToken({ db }, classmate, ['read', 'staff']))
    const { record } = (await program.get(`/cases/${there}`)).json()
    assert.deepEqual(record, { upheld: 0, declined: 0, measures: 0, objections: 0 })
    const log = await reader.get(`/courses/${elsewhere.slug}/audit`)
    assert.match(textOf(log.body), /No entries yet/)
    const file = await reader.get(`/courses/${elsewhere.slug}/audit.csv`)
    assert.deepEqual([file.statusCode, file.body.trim().split('\n').length], [200, 1], 'its heading alone')
  })

  test('reports about the profile of who is suspended are one case', async () => {
    const { app, db, course, author, instructor, subject } = await aScene()
    await reported(db, subject, null)
    await decided(db, instructor.id, await caseOf(db, subject), ['suspend'])
    for (const person of [await aMember(db, course), await aMember(db, course), null]) {
      const browser = person === null ? visitor(app) : await signedIn(app, person)
      for (const reason of ['spam', 'rude'])
        await browser.post(`/people/${author.id}/reports`, { reason, note: '' })
    }
    const cases = await db
      .selectFrom('cases')
      .select(['about', 'state'])
      .where('person_id', '=', author.id)
      .orderBy('id')
      .execute()
    assert.deepEqual(cases, [
      { about: 'answer', state: 'upheld' },
      { about: 'person', state: 'open' },
    ])
    const admin = await aPerson(db, { isAdmin: true })
    const matter = await caseOf(db, { about: 'person', id: author.id })
    assert.ok(matter.reports_count >= 3, 'each is counted')
    await decided(db, admin.id, matter, [])
    await (await signedIn(app, await aMember(db, course))).post(`/people/${author.id}/reports`, {
      reason: 'rude',
    })
    assert.equal((await caseOf(db, { about: 'person', id: author.id })).state, 'declined', 'it was looked at')
  })

  test('the text stays with the case when staff remove it from the post’s history; an admin’s redaction leaves only its reason', async () => {
    const { app, db, subject, by } = await aScene()
    await reported(db, subject, null, { note: 'Zyxnote' })
    const { id } = await caseOf(db, subject)
    const edit = { body: 'Milder words', version: '1' }
    assert.equal((await by.author.post(`/answers/${subject.id}/edit`, edit)).statusCode, 303)
    const history = `/answers/${subject.id}/history`
    assert.match((await by.instructor.get(history)).body, /Zyxtext/)
    assert.equal((await by.instructor.post(`${history}/1/redaction`)).statusCode, 303)
    assert.doesNotMatch((await by.instructor.get(history)).body, /Zyxtext/)
    const page = await by.instructor.get(`/cases/${id}`)
    assert.match(page.body, /Zyxtext[\s\S]*Zyxnote/)

    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const redaction = { ground: 'asked', note: 'Zyxwhy' }
    assert.equal((await admin.post(`/cases/${id}/redaction`, redaction)).statusCode, 303)
    for (const reader of [admin, by.instructor]) {
      const after = textOf((await reader.get(`/cases/${id}`)).body)
      assert.doesNotMatch(after, /Zyxtext|Zyxnote/)
      assert.match(after, /Removed by an admin/)
    }
    assert.match((await admin.get(`/cases/${id}`)).body, /Zyxwhy/)
  })

  test('a report is counted once it is there, for the post it is about', async () => {
    const { db, course, author, instructor, subject, by } = await aScene()
    const people = [await aMember(db, course), await aMember(db, course)]
    for (const [index, { id }] of [...people, ...people].entries()) {
      await reported(db, subject, id)
      const matter = await caseOf(db, subject)
      const rows = await db.selectFrom('reports').select('id').where('case_id', '=', matter.id).execute()
      assert.deepEqual([matter.reports_count, rows.length], [Math.min(index, 1) + 1, Math.min(index, 1) + 1])
    }
    const queue = (await by.instructor.get(`/courses/${course.slug}/moderation`)).body
    assert.match(queue, /2 reports/)
    await decided(db, instructor.id, await caseOf(db, subject), ['warn'])
    for (const { id } of people)
      assert.deepEqual((await recordOf(db, id, course.id)).upheld, 0, 'it is no mark against who reports')
    assert.equal((await recordOf(db, author.id, course.id)).upheld, 1)
  })

  test('the answer to an objection goes to its author alone', async () => {
    const { app, db, course, subject, author, instructor, by } = await aScene()
    const reporter = await aMember(db, course)
    await reported(db, subject, reporter.id)
    await reported(db, subject, null, { email: 'visitor@home.example' })
    await decided(db, instructor.id, await caseOf(db, subject), ['hide'])
    await doJobs(db, caseLettersKind(db, LETTERS))
    await db.deleteFrom('mails').execute()
    const [measure] = await measuresOf(db, (await caseOf(db, subject)).id)
    const object = `/measures/${measure?.id}/objection`
    assert.equal((await by.author.post(object, { note: 'Zyxobjection' })).statusCode, 303)
    const second = await signedIn(app, await aMember(db, course, 'instructor'))
    const before = (await (await signedIn(app, reporter)).get('/notifications')).body
    const answer = { value: 'lift', note: 'Zyxanswered' }
    assert.equal((await second.post(`${object}/answer`, answer)).statusCode, 303)
    await doJobs(db, caseLettersKind(db, LETTERS))
    const mails = await db.selectFrom('mails').select(['recipient', 'text']).execute()
    assert.deepEqual([...new Set(mails.map(({ recipient }) => recipient))], [author.email])
    assert.ok(mails.some(({ text }) => text.includes('Zyxanswered')))
    const told = db.selectFrom('notifications').select('person_id').where('reason', '=', 'objected')
    assert.deepEqual(await told.where('case_id', '=', measure?.case_id ?? 0).execute(), [
      { person_id: author.id },
    ])
    const after = (await (await signedIn(app, reporter)).get('/notifications')).body
    for (const page of [before, after]) assert.doesNotMatch(page, /Zyxobjection|Zyxanswered|objection/i)
  })

  test('an answer to a deleted question is reported on a page that leads back by words', async () => {
    const { app, db, question, subject } = await aScene()
    await within(db, deleteQuestion, question.id)
    const page = await visitor(app).get(`/answers/${subject.id}/reports`)
    assert.deepEqual(await markupMistakes(page.body), [])
    assert.match(textOf(page.body), /Back to the question/)
  })
})
