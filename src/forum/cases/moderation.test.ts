import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aMember, anAnswer, aPerson } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { caseDecision } from './decision.ts'
import { opening } from './report.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import type { Subject } from './subject.ts'
import { caseOf, decided, lettersTo, reported } from './testing.ts'

suite('moderating, page by page', () => {
  const forum = forumOfCases()

  test('a report leads from the post to a case in the queue, and shows who reported to instructors alone', async () => {
    const scene = await aReportedScene(forum, { timeZone: 'Asia/Seoul' })
    const { app, db, subject, browsers, answer, question, course, reporter } = scene
    const path = `/answers/${answer.id}/reports`
    const threadFor = async (by: keyof typeof browsers) =>
      (await browsers[by].get(`/questions/${question.id}/which-tests-count`)).body
    const thread = await threadFor('reporter')
    assert.ok(thread.includes(`href="${path}"`))
    const form = await browsers.reporter.get(path)
    assert.match(form.body, new RegExp(`class="course-bar[\\s\\S]*?/courses/${course.slug}`))
    const timeIn = (html: string) => /<time datetime[^>]*>[^<]*/.exec(html)?.[0]
    assert.equal(timeIn(form.body), timeIn(thread.slice(thread.indexOf('id="answer-'))))
    const sent = await browsers.reporter.post(path, { reason: 'solution', note: 'It is the homework.' })
    assert.equal(sent.statusCode, 303)
    assert.match(String(sent.headers.location), new RegExp(`#answer-${answer.id}$`))
    assert.match(textOf((await browsers.reporter.get(path)).body), /You reported this text/)
    await app.changes?.caughtUp()
    assert.equal((await threadFor('reporter')).match(/Already reported/g)?.length, 1)
    assert.doesNotMatch(await threadFor('instructor'), /Already reported/)

    const queue = textOf((await browsers.assistant.get(`/courses/${course.slug}/moderation`)).body)
    const listed = /Just take mine.*Gives away a solution.*Answer by .* to “Which tests count\?”.*1 report/s
    assert.match(queue, listed)
    assert.match(textOf((await browsers.assistant.get(`/courses/${course.slug}`)).body), /Moderation 1/)
    const { id } = await caseOf(db, subject)
    const page = await browsers.assistant.get(`/cases/${id}`)
    assert.match(textOf(page.body), /Answer to “Which tests count\?”/)
    assert.ok(!page.body.includes(reporter.displayName), 'assistants don’t see who reported')
    assert.match((await browsers.instructor.get(`/cases/${id}`)).body, new RegExp(reporter.displayName))
    assert.match((await browsers.instructor.get('/notifications')).body, /A case is waiting in/)
  })

  test('a decision that is refused or comes second shows what was typed', async () => {
    const { db, subject, browsers, assistant } = await aReportedScene(forum)
    await reported(db, subject, null)
    const { id: key, version } = await caseOf(db, subject)
    const input = { decision: 'uphold', version }
    await refuses(forum, caseDecision, { actor: assistant, key }, [[input, 'measure: cases.form.noMeasure']])
    const suspends = { ...input, measure: 'suspend', note: 'zyxkept' }
    const everywhere = await browsers.assistant.post(`/cases/${key}/decision`, { ...suspends, everywhere: 1 })
    assert.equal(everywhere.statusCode, 422)
    assert.match(textOf(everywhere.body), /Only admins can suspend someone in every course.*zyxkept/s)
    assert.match(everywhere.body, /href="#measure"[\s\S]* id="measure"/)
    await act(forum, caseDecision, { actor: assistant, key, input: suspends })
    const slower = await browsers.instructor.post(`/cases/${key}/decision`, suspends)
    assert.equal(slower.statusCode, 409)
    assert.match(textOf(slower.body), /decided this case a moment before you/)
    assert.match(slower.body, /zyxkept/)
    assert.deepEqual(await markupMistakes(slower.body), [])
  })

  test('a decision tells its author no more than they may know', async () => {
    const { app, db, subject, browsers, question, reporter, author, assistant } = await aReportedScene(forum)
    await reported(db, subject, reporter.id, { note: 'It is the homework.' })
    await decided(db, assistant.id, await caseOf(db, subject), ['hide', 'suspend'], {
      ...{ days: 7, rule: 'Rule 3', note: 'Explain instead.' },
      ...{ reporterNote: 'Thank you, it is hidden.', staffNote: 'Second time.' },
    })
    for (const reader of [visitor(app), browsers.reporter]) {
      const thread = await reader.get(`/questions/${question.id}/which-tests-count`)
      assert.doesNotMatch(thread.body, /zyxsolution/)
    }
    const told = textOf((await browsers.reporter.get('/notifications')).body)
    assert.match(told, /Thanks for your report: the answer was hidden: Which tests count\?.*it is hidden/s)
    const standing = await browsers.author.get('/settings/standing')
    assert.match(textOf(standing.body), /Suspended in.*Explain instead\..*Rule 3.*A report\./s)
    assert.match(textOf(standing.body), /Post Your answer to “Which tests count\?”/)
    const letter = (await lettersTo(db, author))[0]?.text ?? ''
    assert.match(letter, /Answer hidden.*Suspended in.*Explain instead.*Rule 3.*report.*object once/s)
    for (const secret of [reporter.displayName, 'Second time.', 'it is hidden', 'homework', '1 report'])
      for (const text of [standing.body, letter]) assert.ok(!text.includes(secret), secret)
    for (const [unread, read] of [
      [{ audience: 'staff' }, { audience: 'course' }],
      [{ hidden_at: new Date() }, { hidden_at: null }],
    ] as const) {
      await setRows(db, 'questions', question.id, unread)
      assert.doesNotMatch((await browsers.author.get('/settings/standing')).body, /Which tests count/)
      await setRows(db, 'questions', question.id, read)
    }
  })

  test('of two who pass a case on at once, the second is told, with the note to copy', async () => {
    const { db, subject, browsers } = await aReportedScene(forum)
    await reported(db, subject, null)
    const path = `/cases/${(await caseOf(db, subject)).id}/handover`
    assert.equal((await browsers.assistant.post(path, { to: 'admins' })).statusCode, 303)
    const slower = await browsers.instructor.post(path, { to: 'admins', staff_note: 'zyxnote' })
    assert.equal(slower.statusCode, 409)
    assert.match(textOf(slower.body), /Already passed on.*zyxnote/s)
  })

  test('staff open a case themselves, from the post’s and the profile’s menu', async () => {
    const scene = await aReportedScene(forum)
    const { db, app, course, question, answer, subject, browsers, author } = scene
    const { assistant, instructor, reporter } = scene
    const opens = (actor: { readonly id: number }, key: Subject, reason = 'rude') =>
      refusalOf(forum, opening, { actor, key, input: { reason } })
    const path = `/answers/${answer.id}/cases`
    const thread = `/questions/${question.id}/which-tests-count`
    assert.ok((await browsers.assistant.get(thread)).body.includes(`href="${path}"`))
    assert.ok(!(await browsers.reporter.get(thread)).body.includes('/cases'))
    const form = await browsers.assistant.get(path)
    assert.match(textOf(form.body), /Open a case about an answer.*Gives away a solution/s)
    for (const person of [reporter, author]) assert.equal(await opens(person, subject), 'forbidden')
    assert.equal(await opens(assistant, subject, ''), 'reason: reports.form.noReason')
    const opened = await browsers.assistant.post(path, { reason: 'solution' })
    const matter = await caseOf(db, subject)
    assert.equal(opened.headers.location, `/cases/${matter.id}`)
    assert.deepEqual([matter.is_reported, matter.opened_by], [false, assistant.id])
    const shown = textOf((await browsers.instructor.get(`/cases/${matter.id}`)).body)
    assert.match(shown, /zyxsolution.*Opened by staff/s)
    assert.match((await browsers.instructor.get('/notifications')).body, /A case is waiting in/)
    assert.equal(await opens(instructor, subject), 'done')
    assert.equal((await caseOf(db, subject)).id, matter.id, 'one case, whoever opens it')
    await decided(db, assistant.id, matter, [])
    assert.equal(await opens(instructor, subject), 'done')
    assert.notEqual((await caseOf(db, subject)).id, matter.id, 'staff look again at a text that was reviewed')

    const colleague = await anAnswer(db, { question, author: await aMember(db, course, 'assistant') })
    const passed = await browsers.assistant.post(`/answers/${colleague.id}/cases`, { reason: 'rude' })
    assert.match(String(passed.headers.location), /^\/questions\//)
    assert.match((await browsers.assistant.follow(passed)).body, /Someone else handles it/)

    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const profile = `/people/${author.id}/cases`
    const person = await admin.follow(await admin.get(`/people/${author.id}`))
    assert.ok(person.body.includes(`href="${profile}"`))
    assert.equal(await opens(instructor, { about: 'person', id: author.id }), 'forbidden')
    assert.equal((await admin.get(profile)).statusCode, 200)
    const { location } = (await admin.post(profile, { reason: 'rude' })).headers
    assert.equal(location, `/cases/${(await caseOf(db, { about: 'person', id: author.id })).id}`)
  })

  test('a script claims a case as it is opened; others see that, and get no claim of their own', async () => {
    const { db, subject, reporter, assistant, browsers } = await aReportedScene(forum)
    await reported(db, subject, reporter.id)
    const { id } = await caseOf(db, subject)
    assert.match((await browsers.assistant.get(`/cases/${id}`)).body, /data-writing="handle"/)
    const claim = (by: keyof typeof browsers) =>
      browsers[by].post(`/cases/${id}/claim`, { value: 1 }, { headers: { accept: 'application/json' } })
    const claimed = await claim('assistant')
    assert.deepEqual([claimed.statusCode, claimed.headers['set-cookie']], [204, undefined])
    assert.equal((await claim('instructor')).statusCode, 409)
    const other = await browsers.instructor.get(`/cases/${id}`)
    assert.match(textOf(other.body), /is handling this case until/)
    assert.doesNotMatch(other.body, /data-writing="handle"/)
    await decided(db, assistant.id, await caseOf(db, subject), [])
    assert.equal((await caseOf(db, subject)).claimed_by, null)
  })
})
