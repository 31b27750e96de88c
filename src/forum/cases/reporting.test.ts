import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { doJobs } from '../../jobs/do-jobs.ts'
import { REPORT_LETTERS } from '../../kernel/limits.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { caseLettersKind } from './letters.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, decided, reported } from './testing.ts'

const LETTERS = { baseUrl: 'https://forum.example', timeZone: 'UTC' }

suite('reporting', () => {
  const forum = forumOfCases()

  test('a visitor reports without an account, and an address gets the outcome without anybody’s text', async () => {
    const { db, app, subject, question, answer, assistant, browsers } = await aReportedScene(forum)
    const guest = visitor(app)
    const path = `/answers/${answer.id}/reports`
    assert.match((await guest.get(path)).body, /name="email"/)
    const sent = await guest.post(path, {
      reason: 'personal',
      note: 'My address is in it',
      name: 'Zyxann',
      email: 'ann@home.example',
    })
    assert.equal(sent.statusCode, 303)
    const { id } = await caseOf(db, subject)
    const token = await guest.token()
    const twice = { reason: 'rude', note: 'Sent by a double click' }
    const sendings = await Promise.all([1, 2, 3].map(() => guest.post(path, twice, { token })))
    assert.deepEqual(
      sendings.map(({ statusCode }) => statusCode),
      [303, 303, 303],
    )
    assert.equal((await caseOf(db, subject)).reports_count, 2, 'one form is one report')
    assert.match((await browsers.instructor.get(`/cases/${id}`)).body, /Visitor \(Zyxann\)/)
    assert.doesNotMatch((await browsers.assistant.get(`/cases/${id}`)).body, /Zyxann/)
    const letters = () => doJobs(db, caseLettersKind(db, LETTERS))
    assert.ok((await letters()) > 0)
    await decided(db, assistant.id, await caseOf(db, subject), ['warn'], {
      note: 'zyxtoauthor',
      reporterNote: 'zyxtoreporters',
    })
    assert.ok((await letters()) > 1)
    const mails = await db
      .selectFrom('mails')
      .select('text')
      .where('recipient', '=', 'ann@home.example')
      .execute()
    assert.equal(mails.length, 2)
    for (const { text } of mails) assert.doesNotMatch(text, /zyx|Zyxann|address is in it|Which tests/)
    const own = await browsers.author.post(path, { reason: 'rude' })
    assert.equal(own.statusCode, 403, 'no one reports themselves')
    assert.equal((await guest.get(`/questions/${question.id}/reports`)).statusCode, 200)
    const hidden = await aQuestion(db, { course: await aCourse(db, { isPublic: false }) })
    assert.equal((await guest.get(`/questions/${hidden.id}/reports`)).statusCode, 404)
    assert.equal((await guest.post(`/questions/${hidden.id}/reports`, { reason: 'rude' })).statusCode, 404)
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
    for (const [table, { id }] of [
      ['answers', answer],
      ['questions', question],
    ] as const)
      await db.updateTable(table).set({ deleted_at: new Date() }).where('id', '=', id).execute()
    for (const reader of [guest, await signedIn(app, await aMember(db, course))])
      for (const page of [await reader.get(path), await reader.get(`/questions/${question.id}/reports`)])
        assert.doesNotMatch(page.body, /Zyx/)
    assert.equal((await guest.post(path, { reason: 'rude' })).statusCode, 303)
  })

  test('an address that visitors name gets one receipt and one outcome for a case, and few a day', async () => {
    const { db, app, course, answer, assistant, subject } = await aReportedScene(forum)
    const guest = visitor(app)
    const report = (path: string, email: string) =>
      guest.post(`${path}/reports`, { reason: 'rude', note: `To ${email}`, email })
    const bad = await report(`/answers/${answer.id}`, 'not an address')
    assert.equal(bad.statusCode, 422)
    assert.match(bad.body, /value="not an address"/)
    const addresses = [
      'Zyx@flood.example',
      'zyx@flood.example',
      'ZYX@flood.example',
      'zyxother@flood.example',
    ]
    await Promise.all(addresses.map((email) => report(`/answers/${answer.id}`, email)))
    assert.equal((await caseOf(db, subject)).reports_count, 4)
    const lettersTo = async (recipient: string) => {
      await doJobs(db, caseLettersKind(db, LETTERS))
      const mails = await db
        .selectFrom('mails')
        .select('kind')
        .where('recipient', '=', recipient)
        .orderBy('id')
        .execute()
      return mails.map(({ kind }) => kind)
    }
    assert.deepEqual(await lettersTo('zyx@flood.example'), ['report-receipt'])
    await decided(db, assistant.id, await caseOf(db, subject), [])
    assert.deepEqual(await lettersTo('zyx@flood.example'), ['report-receipt', 'report-outcome'])
    assert.deepEqual(await lettersTo('zyxother@flood.example'), ['report-receipt', 'report-outcome'])
    let sent: string[] = []
    for (let number = 0; number < 6; number += 1) {
      await report(`/questions/${(await aQuestion(db, { course })).id}`, 'zyx@flood.example')
      // The hour passes, which limits mails to unconfirmed addresses together.
      await sql`delete from tries where ends_at < now() + interval '2 hours'`.execute(db)
      sent = await lettersTo('zyx@flood.example')
    }
    assert.equal(sent.filter((kind) => kind === 'report-receipt').length, REPORT_LETTERS.max)
  })

  test('a profile is reported to the admins, who reset the name; the former one can’t come back', async () => {
    const { db, app, author, browsers } = await aReportedScene(forum)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    assert.equal(
      (await browsers.reporter.post(`/people/${author.id}/reports`, { reason: 'personal' })).statusCode,
      303,
    )
    const matter = await caseOf(db, { about: 'person', id: author.id })
    assert.equal((await browsers.instructor.get(`/cases/${matter.id}`)).statusCode, 404)
    assert.match((await admin.get('/moderation')).body, new RegExp(`/cases/${matter.id}"`))
    const page = await admin.get(`/cases/${matter.id}`)
    assert.deepEqual(await markupMistakes(page.body), [])
    const decision = { decision: 'uphold', version: matter.version, measure: 'reset-name' }
    assert.equal((await admin.post(`/cases/${matter.id}/decision`, decision)).statusCode, 303)
    const { display_name: name } = await db
      .selectFrom('people')
      .select('display_name')
      .where('id', '=', author.id)
      .executeTakeFirstOrThrow()
    assert.equal(name, `Member ${author.id}`)
    const rename = (to: string) =>
      browsers.author.post('/settings', {
        display_name: to,
        language: 'system',
        time_zone: '',
        theme: 'system',
      })
    const again = await rename(author.displayName)
    assert.equal(again.statusCode, 422)
    assert.match(again.body, /Staff reset this name/)
    assert.equal((await rename('Somebody else')).statusCode, 303)
  })

  test('who reported with an account gets the outcome by email unless they want none, and no letter comes twice', async () => {
    const { db, course, subject, reporter, assistant } = await aReportedScene(forum)
    const quiet = await aMember(db, course)
    await db.updateTable('people').set({ mail_rhythm: 'never' }).where('id', '=', quiet.id).execute()
    for (const { id } of [reporter, quiet]) await reported(db, subject, id)
    await decided(db, assistant.id, await caseOf(db, subject), ['hide'], {
      reporterNote: 'It is hidden.',
      note: 'zyxnoteonce',
    })
    const kind = caseLettersKind(db, LETTERS)
    const jobs = await db.selectFrom('jobs').select(['id', 'key']).where('kind', '=', kind.name).execute()
    const signal = new AbortController().signal
    // As after a crash between the letter and the end of its job.
    for (const job of [...jobs, ...jobs]) await kind.run([{ ...job, tries: 1 }], signal)
    const mails = await db
      .selectFrom('mails')
      .select(['person_id', 'text'])
      .where('kind', '=', 'report-outcome')
      .execute()
    const told = mails.filter(({ person_id: id }) => id === reporter.id || id === quiet.id)
    assert.deepEqual(
      told.map(({ person_id: id }) => id),
      [reporter.id],
    )
    assert.match(told[0]?.text ?? '', /took action.*It is hidden\./s)
    assert.doesNotMatch(told[0]?.text ?? '', /zyx/)
    const statements = await db
      .selectFrom('mails')
      .select('id')
      .where('kind', '=', 'case')
      .where('text', 'like', '%zyxnoteonce%')
      .execute()
    assert.equal(statements.length, 1)
  })
})
