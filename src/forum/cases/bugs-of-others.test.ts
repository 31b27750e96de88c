import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { finishDepartures } from '../../accounts/deletion/departure.ts'
import { leave } from '../../accounts/deletion/testing.ts'
import { aToken } from '../../accounts/tokens/testing.ts'
import { aProgram } from '../../doors/api/testing.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { postAnswer } from '../answers/operations.ts'
import { unnameIn } from '../people/unname.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { purgePostsOf } from '../purging/leavers-posts.ts'
import { suspension, suspensionEnd } from './acts-on-people.ts'
import { caseHandover } from './claims.ts'
import { caseDecision } from './decision.ts'
import { measureEnd, object, objectionAnswer } from './endings.ts'
import { recordOf } from './find.ts'
import { reporting } from './report.ts'
import { caseRedaction } from './retention.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, decided, lettersTo, measuresOf, reported, writeLetters } from './testing.ts'

/** Mistakes that other forums made in moderating. */
suite('what went wrong elsewhere', () => {
  const forum = forumOfCases()

  const aScene = (options = {}) => aReportedScene(forum, { displayName: 'Zyxauthor', ...options })

  test('a warning is no suspension', async () => {
    const { author, question, browsers, judged } = await aScene()
    await judged(['warn'])
    const writing = { actor: author, key: question.id, input: { body: 'Fine.' } }
    assert.equal(await refusalOf(forum, postAnswer, writing), 'done')
    const standing = await browsers.author.get('/settings/standing')
    assert.match(standing.body, /Warned/)
    assert.doesNotMatch(standing.body, /Suspended/)
  })

  test('no one else’s staff reach a case, its measures or its queue by their numbers', async () => {
    const { app, db, course, subject, instructor } = await aScene()
    await reported(db, subject, null)
    const { id, version } = await caseOf(db, subject)
    const actor = await aMember(db, await aCourse(db), 'instructor')
    const elsewhere = await signedIn(app, actor)
    assert.equal((await elsewhere.get(`/cases/${id}`)).statusCode, 404)
    assert.equal((await elsewhere.get(`/courses/${course.slug}/moderation`)).statusCode, 403)
    await decided(db, instructor.id, { id, version }, ['hide'])
    const [measure] = await measuresOf(db, id)
    for (const [operation, key, input] of [
      [caseDecision, id, { decision: 'decline', version }],
      [caseHandover, id, { to: 'admins' }],
      [measureEnd, measure?.id ?? 0, {}],
    ] as const)
      assert.equal(await refusalOf<number>(forum, operation, { actor, key, input }), 'notFound')
    assert.equal((await measuresOf(db, id))[0]?.ended_at, null)
  })

  test('who was never suspended isn’t told that they are no longer', async () => {
    const { db, course, author, instructor } = await aScene()
    const key = { personId: author.id, course: course.slug }
    assert.deepEqual(await act(forum, suspensionEnd, { actor: instructor, key }), { ended: 0 })
    const ofAuthor = { person_id: author.id }
    const told = (await rowsOf(db, 'notifications', ofAuthor)).filter(({ case_id: id }) => id !== null)
    assert.deepEqual([told, await rowsOf(db, 'cases', ofAuthor), await lettersTo(db, author)], [[], [], []])
  })

  test('the text stays with the case when its author deletes the account and all posts', async () => {
    const { app, db, author, subject, browsers: by } = await aScene()
    await reported(db, subject, null)
    const { id } = await caseOf(db, subject)
    await leave(db, author.id, 'delete')
    const posts = { purge: purgePostsOf, unname: unnameIn, sweepPictures: async () => undefined }
    await finishDepartures(db, posts)
    const page = await by.instructor.get(`/cases/${id}`)
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /zyxsolution/)
    assert.doesNotMatch(page.body, /Zyxauthor/)
    assert.equal((await visitor(app).get(`/answers/${subject.id}/reports`)).statusCode, 410)
  })

  test('who is anonymous is named beside a case, in its audit log and to programs, for the staff of that course alone', async () => {
    const { app, db, course, subject, author, assistant, instructor } = await aScene({ isAnonymous: true })
    const elsewhere = await aCourse(db)
    // Staff of one course, and a classmate in the other.
    const classmate = await aMember(db, elsewhere, 'instructor', await aMember(db, course))
    await aMember(db, elsewhere, 'learner', author)
    const named = await anAnswer(db, { question: await aQuestion(db, { course: elsewhere }), author })
    const other = { about: 'answer', id: named.id } as const
    for (const one of [subject, other]) await reported(db, one, null)
    const [{ id, version }, { id: there }] = [await caseOf(db, subject), await caseOf(db, other)]
    const decision = { decision: 'uphold', version, measure: 'warn', rule: 'Zyxrule' }
    await act(forum, caseDecision, { actor: instructor, key: id, input: decision })
    const key = { personId: author.id, course: course.slug }
    await act(forum, suspension, { actor: instructor, key, input: { reason: 'Zyxnote' } })

    const admin = await aPerson(db, { isAdmin: true })
    const people = { classmate, learner: await aMember(db, course), instructor, assistant, admin }
    const ofCase = [`/cases/${id}`, `/courses/${course.slug}/moderation?view=decided`]
    const ofAudit = [`/courses/${course.slug}/audit`, `/courses/${course.slug}/audit.csv`]
    const forPrograms = [`/cases/${id}`, `/courses/${course.slug}/cases?view=decided`]
    const told: Record<string, string> = {}
    for (const [name, person] of Object.entries(people)) {
      const browser = await signedIn(app, person)
      const program = aProgram(app, await aToken({ db }, person, ['read', 'staff']))
      const answers = []
      for (const path of [...ofCase, ...ofAudit]) answers.push(await browser.get(path))
      for (const path of forPrograms) answers.push(await program.get(path))
      told[name] = answers
        .map(({ statusCode: status, body }) => status + (body.includes('Zyxauthor') ? '*' : ''))
        .join(' ')
    }
    // The file has numbers of accounts and names of those who acted.
    const all = '200* 200* 200* 200 200* 200*'
    const none = '404 403 403 403 404 403'
    const staff = { assistant: '200* 200* 403 403 200* 200*', instructor: all, admin: all }
    assert.deepEqual(told, { classmate: none, learner: none, ...staff })

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
    const { db, author, instructor, reporter, other, judged } = await aScene()
    await judged(['suspend'])
    const profile = { about: 'person', id: author.id } as const
    const reports = (actor: { readonly id: number } | null, reason: string) =>
      refusalOf(forum, reporting, { actor, key: profile, input: { reason, language: 'en' } })
    for (const person of [reporter, other, null])
      for (const reason of ['spam', 'rude']) await reports(person, reason)
    const cases = await rowsOf(db, 'cases', { person_id: author.id })
    const states = cases.map(({ about, state }) => `${about} ${state}`)
    assert.deepEqual(states, ['answer upheld', 'person open'])
    const matter = await caseOf(db, profile)
    assert.ok(matter.reports_count >= 3, 'each is counted')
    await decided(db, (await aPerson(db, { isAdmin: true })).id, matter, [])
    await reports(instructor, 'rude')
    assert.equal((await caseOf(db, profile)).state, 'declined', 'it was looked at')
  })

  test('the text stays with the case when staff remove it from the post’s history; an admin’s redaction leaves only its reason', async () => {
    const { app, db, subject, author, browsers: by } = await aScene()
    await reported(db, subject, null, { note: 'Zyxnote' })
    const { id } = await caseOf(db, subject)
    const edit = { body: 'Milder words', version: '1' }
    await act(forum, TEXT_EDITS.answers, { actor: author, key: subject.id, input: edit })
    const history = `/answers/${subject.id}/history`
    assert.match((await by.instructor.get(history)).body, /zyxsolution/)
    assert.equal((await by.instructor.post(`${history}/1/redaction`)).statusCode, 303)
    assert.doesNotMatch((await by.instructor.get(history)).body, /zyxsolution/)
    const page = await by.instructor.get(`/cases/${id}`)
    assert.match(page.body, /zyxsolution[\s\S]*Zyxnote/)

    const admin = await aPerson(db, { isAdmin: true })
    const redaction = { case: `${id}`, ground: 'asked', note: 'Zyxwhy' }
    await act(forum, caseRedaction, { actor: admin, key: null, input: redaction })
    const reading = await signedIn(app, admin)
    for (const reader of [reading, by.instructor]) {
      const after = textOf((await reader.get(`/cases/${id}`)).body)
      assert.doesNotMatch(after, /zyxsolution|Zyxnote/)
      assert.match(after, /Removed by an admin/)
    }
    assert.match((await reading.get(`/cases/${id}`)).body, /Zyxwhy/)
  })

  test('an upheld report is a mark against the author, and none against who reports', async () => {
    const { db, course, author, reporter, other, instructor, subject, browsers } = await aScene()
    for (const { id } of [reporter, other]) await reported(db, subject, id)
    const queue = (await browsers.instructor.get(`/courses/${course.slug}/moderation`)).body
    assert.match(queue, /2 reports/)
    await decided(db, instructor.id, await caseOf(db, subject), ['warn'])
    const marks = [author, reporter, other].map(({ id }) => recordOf(db, id, course.id))
    assert.deepEqual(valuesOf(await Promise.all(marks), 'upheld'), [1, 0, 0])
  })

  test('the answer to an objection goes to its author alone', async () => {
    const { db, course, subject, author, reporter, instructor, browsers } = await aScene()
    await reported(db, subject, reporter.id)
    await reported(db, subject, null, { email: 'visitor@home.example' })
    await decided(db, instructor.id, await caseOf(db, subject), ['hide'])
    await writeLetters(db)
    const { id } = await caseOf(db, subject)
    const key = (await measuresOf(db, id))[0]?.id ?? 0
    await within(db, object, author.id, key, 'Zyxobjection')
    const before = (await browsers.reporter.get('/notifications')).body
    const actor = await aMember(db, course, 'instructor')
    await db.deleteFrom('mails').execute()
    await act(forum, objectionAnswer, { actor, key, input: { value: 'lift', note: 'Zyxanswered' } })
    await writeLetters(db)
    const mails = await rowsOf(db, 'mails', { kind: 'case' })
    assert.deepEqual([...new Set(mails.map(({ recipient }) => recipient))], [author.email])
    assert.ok(mails.some(({ text }) => text.includes('Zyxanswered')))
    const told = await rowsOf(db, 'notifications', { case_id: id, reason: 'objected' })
    assert.deepEqual(valuesOf(told, 'person_id'), [author.id])
    const after = (await browsers.reporter.get('/notifications')).body
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
