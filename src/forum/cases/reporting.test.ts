import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { REPORT_LETTERS } from '../../kernel/limits.ts'
import { refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { caseDecision } from './decision.ts'
import { caseLettersKind } from './letters.ts'
import { reporting } from './report.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import type { Subject } from './subject.ts'
import { caseOf, decided, LETTERS, lettersTo, reported, untilMorning } from './testing.ts'

suite('reporting', () => {
  const forum = forumOfCases()

  /** @returns its refusal, or `done` */
  const reports = (actor: { readonly id: number } | null, key: Subject, input: Record<string, string> = {}) =>
    refusalOf(forum, reporting, { actor, key, input: { reason: 'rude', language: 'en', ...input } })

  test('a visitor reports without an account, and an address gets the outcome without anybody’s text', async () => {
    const { db, app, subject, question, answer, assistant, author, browsers } = await aReportedScene(forum)
    const guest = visitor(app)
    const path = `/answers/${answer.id}/reports`
    assert.match((await guest.get(path)).body, /name="email"/)
    const named = { reason: 'personal', note: 'My address is in it', name: 'Zyxann' }
    assert.equal((await guest.post(path, { ...named, email: 'ann@home.example' })).statusCode, 303)
    const { id } = await caseOf(db, subject)
    const token = await guest.token()
    const twice = { reason: 'rude', note: 'Sent by a double click' }
    await Promise.all([1, 2, 3].map(() => guest.post(path, twice, { token })))
    assert.equal((await caseOf(db, subject)).reports_count, 2, 'one form is one report')
    assert.match((await browsers.instructor.get(`/cases/${id}`)).body, /Visitor \(Zyxann\)/)
    assert.doesNotMatch((await browsers.assistant.get(`/cases/${id}`)).body, /Zyxann/)
    const texts = { note: 'zyxtoauthor', reporterNote: 'zyxtoreporters' }
    assert.equal((await lettersTo(db, { email: 'ann@home.example' })).length, 1)
    await decided(db, assistant.id, await caseOf(db, subject), ['warn'], texts)
    const mails = await lettersTo(db, { email: 'ann@home.example' })
    assert.equal(mails.length, 2)
    for (const { text } of mails) assert.doesNotMatch(text, /zyx|Zyxann|address is in it|Which tests/)
    assert.equal(await reports(author, subject), 'forbidden', 'no one reports themselves')
    assert.equal((await guest.get(`/questions/${question.id}/reports`)).statusCode, 200)
    const hidden = await aQuestion(db, { course: await aCourse(db, { isPublic: false }) })
    assert.equal((await guest.get(`/questions/${hidden.id}/reports`)).statusCode, 404)
    assert.equal(await reports(null, { about: 'question', id: hidden.id }), 'notFound')
  })

  test('a post that was deleted is reported without being shown once more', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const author = await aPerson(db, { displayName: 'Zyxauthor' })
    const question = await aQuestion(db, { course, author, title: 'Zyxtitle', body: 'Zyxquestion' })
    const answer = await anAnswer(db, { question, author, body: 'Zyxanswer' })
    const path = `/answers/${answer.id}/reports`
    const guest = visitor(app)
    assert.match((await guest.get(path)).body, /Zyxauthor[\s\S]*Zyxanswer/)
    await setRows(db, 'answers', answer.id, { deleted_at: new Date() })
    await setRows(db, 'questions', question.id, { deleted_at: new Date() })
    for (const reader of [guest, await signedIn(app, await aMember(db, course))])
      for (const page of [await reader.get(path), await reader.get(`/questions/${question.id}/reports`)])
        assert.doesNotMatch(page.body, /Zyx/)
    assert.equal(await reports(null, { about: 'answer', id: answer.id }), 'done')
  })

  test('an address that visitors name gets one receipt and one outcome for a case, and few a day', async () => {
    const { db, app, course, answer, assistant, subject } = await aReportedScene(forum)
    const fields = { reason: 'rude', note: 'Typed', email: 'not an address' }
    const bad = await visitor(app).post(`/answers/${answer.id}/reports`, fields)
    assert.equal(bad.statusCode, 422)
    assert.match(bad.body, /value="not an address"/)
    const [one, other] = ['zyx@flood.example', 'zyxother@flood.example']
    const emails = ['Zyx@flood.example', one, 'ZYX@flood.example', other]
    await Promise.all(emails.map((email) => reports(null, subject, { email })))
    assert.equal((await caseOf(db, subject)).reports_count, 4)
    const kindsTo = async (email: string) => (await lettersTo(db, { email })).map(({ kind }) => kind)
    assert.deepEqual(await kindsTo(one), ['report-receipt'])
    await decided(db, assistant.id, await caseOf(db, subject), [])
    for (const email of [one, other])
      assert.deepEqual(await kindsTo(email), ['report-receipt', 'report-outcome'])
    for (let number = 0; number < 6; number += 1) {
      await reports(null, { about: 'question', id: (await aQuestion(db, { course })).id }, { email: one })
      // The hour passes, which limits mails to unconfirmed addresses together.
      await sql`delete from tries where ends_at < now() + interval '2 hours'`.execute(db)
      await kindsTo(one)
    }
    const receipts = (await kindsTo(one)).filter((kind) => kind === 'report-receipt')
    assert.equal(receipts.length, REPORT_LETTERS.max)
  })

  test('a profile is reported to the admins, who reset the name; the former one can’t come back', async () => {
    const { db, app, author, reporter, browsers } = await aReportedScene(forum)
    const admin = await aPerson(db, { isAdmin: true })
    const browser = await signedIn(app, admin)
    assert.equal(await reports(reporter, { about: 'person', id: author.id }), 'done')
    const { id, version } = await caseOf(db, { about: 'person', id: author.id })
    assert.equal((await browsers.instructor.get(`/cases/${id}`)).statusCode, 404)
    assert.match((await browser.get('/moderation')).body, new RegExp(`/cases/${id}"`))
    const input = { decision: 'uphold', version: `${version}`, measure: 'reset-name', note: 'No ads' }
    assert.equal(await refusalOf(forum, caseDecision, { actor: admin, key: id, input }), 'done')
    assert.equal((await rowOf(db, 'people', author.id)).display_name, `Member ${author.id}`)
    const settings = { language: 'system', time_zone: '', theme: 'system' }
    const rename = (name: string) => browsers.author.post('/settings', { ...settings, display_name: name })
    const again = await rename(author.displayName)
    assert.equal(again.statusCode, 422)
    assert.match(again.body, /Staff reset this name/)
    assert.equal((await rename('Somebody else')).statusCode, 303)
  })

  test('who reported with an account gets the outcome by email unless they want none, and no letter comes twice', async () => {
    const { db, course, subject, author, reporter, assistant } = await aReportedScene(forum)
    const quiet = await aMember(db, course)
    await setRows(db, 'people', quiet.id, { mail_rhythm: 'never' })
    for (const { id } of [reporter, quiet]) await reported(db, subject, id)
    const texts = { reporterNote: 'It is hidden.', note: 'zyxnoteonce' }
    await decided(db, assistant.id, await caseOf(db, subject), ['hide'], texts)
    const kind = caseLettersKind(db, LETTERS)
    await untilMorning(db)
    await kind.plan?.()
    const jobs = await rowsOf(db, 'jobs', { kind: kind.name })
    const signal = new AbortController().signal
    // As after a crash between the letter and the end of its job.
    for (const { id, key } of [...jobs, ...jobs]) await kind.run([{ id, key, tries: 1 }], signal)
    const [outcome, ...more] = await rowsOf(db, 'mails', { person_id: reporter.id })
    assert.equal(outcome?.kind, 'report-outcome')
    assert.match(outcome?.text ?? '', /took action.*It is hidden\./s)
    assert.doesNotMatch(outcome?.text ?? '', /zyx/)
    assert.deepEqual([more, await rowsOf(db, 'mails', { person_id: quiet.id })], [[], []])
    const [statement, ...others] = await rowsOf(db, 'mails', { person_id: author.id })
    assert.match(statement?.text ?? '', /zyxnoteonce/)
    assert.deepEqual([statement?.kind, others], ['case', []])
  })
})
