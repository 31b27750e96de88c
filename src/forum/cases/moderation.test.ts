import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { doJobs } from '../../jobs/do-jobs.ts'
import { REPORT_LETTERS } from '../../mail/limits.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { personPath } from '../../web/paths.ts'
import { caseLettersKind } from './letters.ts'
import { caseOf, decided, measuresOf, reported } from './testing.ts'

const LETTERS = { baseUrl: 'https://forum.example', timeZone: 'UTC' }

suite('moderating, page by page', () => {
  const forum = sharedForum()

  async function aScene() {
    const { app, db } = forum
    const course = await aCourse(db, { timeZone: 'Asia/Seoul' })
    const [assistant, instructor] = [
      await aMember(db, course, 'assistant'),
      await aMember(db, course, 'instructor'),
    ]
    const [author, reporter] = [await aMember(db, course), await aMember(db, course)]
    const question = await aQuestion(db, { course, title: 'Which tests count?' })
    const answer = await anAnswer(db, { question, author, body: 'Just take mine: zyxsolution' })
    const subject = { about: 'answer', id: answer.id } as const
    const browsers = {
      assistant: await signedIn(app, assistant),
      instructor: await signedIn(app, instructor),
      author: await signedIn(app, author),
      reporter: await signedIn(app, reporter),
    }
    return { db, app, course, assistant, instructor, author, reporter, question, answer, subject, browsers }
  }

  const readsThread = async (by: { get(path: string): Promise<{ body: string }> }, id: number) =>
    (await by.get(`/questions/${id}/which-tests-count`)).body.includes('zyxsolution')

  test('a report opens a case, whose decision hides the answer and tells everybody what they may know', async () => {
    const { app, db, subject, browsers, answer, question, course, reporter, author } = await aScene()
    const path = `/answers/${answer.id}/reports`
    const thread = await browsers.reporter.get(`/questions/${question.id}/which-tests-count`)
    assert.ok(thread.body.includes(`href="${path}"`))
    const form = await browsers.reporter.get(path)
    assert.equal(form.statusCode, 200)
    assert.deepEqual(await markupMistakes(form.body), [])
    assert.match(form.body, new RegExp(`class="course-bar[\\s\\S]*?/courses/${course.slug}`))
    const shownTime = /<time datetime[^>]*>[^<]*/
    assert.equal(
      shownTime.exec(form.body)?.[0],
      shownTime.exec(thread.body.slice(thread.body.indexOf('id="answer-')))?.[0],
    )
    const bad = await browsers.reporter.post(path, { reason: '', note: 'It is the homework.' })
    assert.equal(bad.statusCode, 422)
    assert.match(bad.body, /It is the homework\./)
    const sent = await browsers.reporter.post(path, { reason: 'solution', note: 'It is the homework.' })
    assert.equal(sent.statusCode, 303)
    assert.match(String(sent.headers.location), new RegExp(`#answer-${answer.id}$`))
    assert.match(textOf((await browsers.reporter.get(path)).body), /You reported this text/)
    const marked = async (by: { get(path: string): Promise<{ body: string }> }) =>
      textOf((await by.get(`/questions/${question.id}/which-tests-count`)).body).match(/Already reported/g)
        ?.length ?? 0
    await app.changes?.caughtUp()
    assert.deepEqual([await marked(browsers.reporter), await marked(browsers.instructor)], [1, 0])

    const queue = await browsers.assistant.get(`/courses/${course.slug}/moderation`)
    assert.match(textOf(queue.body), /Just take mine.*Gives away a solution.*1 report/s)
    assert.match(textOf((await browsers.assistant.get(`/courses/${course.slug}`)).body), /Moderation 1/)
    const matter = await caseOf(db, subject)
    const page = await browsers.assistant.get(`/cases/${matter.id}`)
    assert.deepEqual(await markupMistakes(page.body), [])
    assert.ok(!page.body.includes(reporter.displayName), 'assistants don’t see who reported')
    assert.match(
      (await browsers.instructor.get(`/cases/${matter.id}`)).body,
      new RegExp(reporter.displayName),
    )
    assert.match((await browsers.instructor.get('/notifications')).body, /A case is waiting in/)
    for (const outsider of [browsers.author, browsers.reporter]) {
      assert.equal((await outsider.get(`/cases/${matter.id}`)).statusCode, 404)
      assert.equal((await outsider.post(`/cases/${matter.id}/claim`, { value: 1 })).statusCode, 404)
      assert.equal((await outsider.get(`/courses/${course.slug}/moderation`)).statusCode, 403)
    }

    await browsers.assistant.post(`/cases/${matter.id}/claim`, { value: 1 })
    assert.match(textOf((await browsers.instructor.get(`/cases/${matter.id}`)).body), /is handling this case/)
    const none = await browsers.assistant.post(`/cases/${matter.id}/decision`, {
      decision: 'uphold',
      version: matter.version,
      note: 'Explain instead.',
    })
    assert.equal(none.statusCode, 422)
    assert.match(none.body, /Explain instead\./)
    const everywhere = await browsers.assistant.post(`/cases/${matter.id}/decision`, {
      ...{ decision: 'uphold', version: matter.version, measure: 'suspend', everywhere: 1 },
      note: 'zyxkept',
    })
    assert.equal(everywhere.statusCode, 422)
    assert.match(textOf(everywhere.body), /Only admins can suspend someone in every course.*zyxkept/s)
    assert.match(everywhere.body, /href="#measure"[\s\S]* id="measure"/)
    const decision = {
      decision: 'uphold',
      version: matter.version,
      measure: ['hide', 'suspend'],
      suspend: '7',
      rule: 'Rule 3',
      note: 'Explain instead.',
      reporter_note: 'Thank you, it is hidden.',
      staff_note: 'Second time.',
    }
    assert.equal((await browsers.assistant.post(`/cases/${matter.id}/decision`, decision)).statusCode, 303)
    const slower = await browsers.instructor.post(`/cases/${matter.id}/decision`, {
      ...decision,
      note: 'My own words.',
    })
    assert.equal(slower.statusCode, 409)
    assert.match(textOf(slower.body), /decided this case a moment before you/)
    assert.match(slower.body, /My own words\./)
    assert.deepEqual(await markupMistakes(slower.body), [])

    for (const reader of [visitor(app), browsers.reporter])
      assert.equal(await readsThread(reader, question.id), false)
    assert.match(
      textOf((await browsers.reporter.get('/notifications')).body),
      /Your report was upheld.*it is hidden/s,
    )
    const standing = await browsers.author.get('/settings/standing')
    assert.deepEqual(await markupMistakes(standing.body), [])
    assert.match(textOf(standing.body), /Suspended in.*Explain instead\..*Rule 3.*A report\./s)
    for (const secret of [reporter.displayName, 'Second time.', 'it is hidden', 'homework', '1 report'])
      assert.ok(!standing.body.includes(secret), secret)
    assert.ok((await doJobs(db, caseLettersKind(db, LETTERS))) > 0)
    const mail = await db
      .selectFrom('mails')
      .select(['text', 'recipient'])
      .where('person_id', '=', author.id)
      .executeTakeFirstOrThrow()
    assert.match(mail.text, /Answer hidden.*Suspended in.*Explain instead.*Rule 3.*report.*object once/s)
    assert.ok(!mail.text.includes(reporter.displayName))
  })

  test('a suspended person reads, keeps what was typed, objects, and writes again when it is lifted', async () => {
    const { db, subject, browsers, question, answer, assistant, course, author } = await aScene()
    await reported(db, subject, null)
    await decided(db, assistant.id, await caseOf(db, subject), ['suspend'], { days: null, note: 'Be kind.' })
    const writes: readonly (readonly [string, Record<string, string | number>])[] = [
      [`/questions/${question.id}/answers`, { body: 'zyxtyped by hand' }],
      [`/questions/${question.id}/replies`, { body: 'zyxtyped by hand' }],
      ['/questions', { course: course.slug, title: 'May I?', body: 'zyxtyped by hand', tags: '' }],
      [`/answers/${answer.id}/edit`, { body: 'zyxtyped by hand', version: 1 }],
      [`/answers/${answer.id}/delete`, {}],
      [`/questions/${question.id}/votes`, { value: 1 }],
      [`/questions/${question.id}/reports`, { reason: 'rude', note: 'zyxtyped by hand' }],
    ]
    for (const [path, fields] of writes) {
      const refused = await browsers.author.post(path, fields)
      assert.equal(refused.statusCode, 403, path)
      assert.match(textOf(refused.body), /You’re suspended in .*with no end\. Reason: “Be kind\.”/, path)
      if ('body' in fields) assert.match(refused.body, /zyxtyped by hand/, path)
    }
    assert.equal((await browsers.author.get(`/questions/${question.id}/which-tests-count`)).statusCode, 200)
    const elsewhere = await aQuestion(db, {})
    assert.equal(
      (await browsers.author.post(`/questions/${elsewhere.id}/answers`, { body: 'Fine.' })).statusCode,
      303,
    )

    const [measure] = await measuresOf(db, (await caseOf(db, subject)).id)
    const object = `/measures/${measure?.id}/objection`
    assert.equal((await browsers.author.post(object, { note: '' })).statusCode, 422)
    assert.equal((await browsers.reporter.post(object, { note: 'Not mine' })).statusCode, 404)
    assert.equal((await browsers.author.post(object, { note: 'I was kind.' })).statusCode, 303)
    const answerPath = `${object}/answer`
    const own = await browsers.assistant.post(answerPath, { value: 'keep', note: 'zyxown' })
    assert.equal(own.statusCode, 403)
    assert.match(own.body, /This was your decision[\s\S]*zyxown/)
    const page = await browsers.instructor.get(`/cases/${measure?.case_id}`)
    assert.match(page.body, /I was kind\./)
    assert.deepEqual(await markupMistakes(page.body), [])
    for (const [path, fields] of [
      [answerPath, { value: 'perhaps', note: 'zyxkept' }],
      [`/measures/${measure?.id}/end`, { note: `zyxkept${'x'.repeat(5000)}` }],
    ] as const) {
      const wrong = await browsers.instructor.post(path, fields)
      assert.equal(wrong.statusCode, 422)
      assert.match(wrong.body, new RegExp(`action="${path}"[\\s\\S]*zyxkept`))
      const [, id] = /error-summary[\s\S]*?href="#([\w-]+)"/.exec(wrong.body) ?? []
      assert.match(wrong.body, new RegExp(` id="${id}"`))
      assert.deepEqual(await markupMistakes(wrong.body), [])
    }
    assert.equal(
      (await browsers.instructor.post(answerPath, { value: 'lift', note: 'You were.' })).statusCode,
      303,
    )
    const admin = await signedIn(forum.app, await aPerson(db, { isAdmin: true }))
    for (const [path, fields, word] of [
      [answerPath, { value: 'keep', note: 'zyxslower' }, /already been answered/],
      [`/measures/${measure?.id}/end`, { note: 'zyxslower' }, /measure has already ended/],
    ] as const) {
      const slower = await admin.post(path, fields)
      assert.equal(slower.statusCode, 409)
      assert.match(textOf(slower.body), word)
      assert.match(textOf(slower.body), /Your text to the author \(not sent\) zyxslower/)
      assert.deepEqual(await markupMistakes(slower.body), [])
    }
    assert.equal(
      (await browsers.author.post(`/questions/${question.id}/answers`, { body: 'Thanks.' })).statusCode,
      303,
    )
    assert.match(
      textOf((await browsers.author.get('/settings/standing')).body),
      /Lifted after an objection.*You were\./s,
    )
    assert.match((await browsers.author.get('/notifications')).body, /Your objection was answered/)
    assert.ok(author.id > 0)
  })

  test('a visitor reports without an account, and an address gets the outcome without anybody’s text', async () => {
    const { db, app, subject, question, answer, assistant, browsers } = await aScene()
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

  test('an address that visitors name gets one receipt and one outcome for a case, and few a day', async () => {
    const { db, app, course, answer, assistant, subject } = await aScene()
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
    const { db, app, author, browsers } = await aScene()
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

  test('closing lets staff alone answer, and a question made private is shared again only when that ends', async () => {
    const { db, app, course, instructor, reporter, browsers } = await aScene()
    const asker = await aMember(db, course)
    const question = await aQuestion(db, { course, author: asker, title: 'Zyxtopic' })
    const subject = { about: 'question', id: question.id } as const
    const own = await signedIn(app, asker)
    await reported(db, subject, reporter.id)
    await decided(db, instructor.id, await caseOf(db, subject), ['close', 'private'])
    const path = `/questions/${question.id}`
    assert.equal((await browsers.reporter.get(`${path}/zyxtopic`)).statusCode, 404)
    const share = () => own.post(`${path}/audience`, { audience: 'course' })
    const offersShare = async () =>
      (await own.follow(await own.get(`${path}/zyxtopic`))).body.includes('name="audience" value="course"')
    assert.equal(await offersShare(), false)
    assert.match((await share()).body, /Staff made this question private/)
    const [close, hidden] = await measuresOf(db, (await caseOf(db, subject)).id)
    assert.equal(
      (await browsers.instructor.post(`/measures/${hidden?.id}/end`, { note: 'Fine' })).statusCode,
      303,
    )
    assert.equal(
      (await browsers.reporter.get(`${path}/zyxtopic`)).statusCode,
      404,
      'lifting publishes nothing',
    )
    assert.equal(await offersShare(), true)
    assert.equal((await share()).statusCode, 303)
    const answering = (by: typeof own) => by.post(`${path}/answers`, { body: 'Like this.' })
    assert.match(textOf((await browsers.reporter.get(`${path}/zyxtopic`)).body), /Staff closed this question/)
    assert.equal((await answering(browsers.reporter)).statusCode, 403)
    assert.equal((await answering(browsers.assistant)).statusCode, 303)
    await browsers.instructor.post(`/measures/${close?.id}/end`, {})
    assert.equal((await answering(browsers.reporter)).statusCode, 303)
  })

  test('of two who pass a case on at once, the second is told, with the note to copy', async () => {
    const { db, subject, browsers } = await aScene()
    await reported(db, subject, null)
    const path = `/cases/${(await caseOf(db, subject)).id}/handover`
    assert.equal((await browsers.assistant.post(path, { to: 'admins' })).statusCode, 303)
    const slower = await browsers.instructor.post(path, { to: 'admins', staff_note: 'zyxnote' })
    assert.equal(slower.statusCode, 409)
    assert.match(textOf(slower.body), /Already passed on.*zyxnote/s)
    assert.equal((await browsers.reporter.post(path, { to: 'admins' })).statusCode, 404)
  })

  test('people whom staff can’t meet in their course aren’t there to suspend: no case names them, no letter reaches them', async () => {
    const { db, course, question, browsers } = await aScene()
    const [inside, nowhere, former] = [
      await aMember(db, await aCourse(db, { isPublic: false })),
      await aPerson(db),
      await aPerson(db),
    ]
    await anAnswer(db, { question, author: former })
    await sql`delete from course_members where person_id = ${former.id}`.execute(db)
    const acts = ['suspension', 'suspension/end', 'posts/deletion', 'posts/restoration']
    const statuses = async (by: keyof typeof browsers, id: number) =>
      Promise.all(
        acts.map(
          async (act) =>
            (await browsers[by].post(`/people/${id}/${act}`, { course: course.slug, reason: 'spam' }))
              .statusCode,
        ),
      )
    for (const { id } of [inside, nowhere]) {
      for (const by of ['assistant', 'instructor'] as const)
        assert.deepEqual(await statuses(by, id), [404, 404, 404, 404])
      assert.deepEqual(await statuses('reporter', id), [403, 403, 403, 403], 'as of anyone')
      assert.deepEqual(await db.selectFrom('cases').select('id').where('person_id', '=', id).execute(), [])
    }
    const path = `/people/${former.id}/suspension`
    assert.equal((await browsers.assistant.post(path, { course: course.slug })).statusCode, 303)
  })

  test('staff suspend, lift, delete and restore all posts of an account below them, in their course', async () => {
    const { db, course, author, assistant, browsers, answer, question } = await aScene()
    const reply = await aReply(db, { answer, author, body: 'And again' })
    const elsewhere = await anAnswer(db, { author })
    const act = (by: keyof typeof browsers, path: string, fields = {}) =>
      browsers[by].post(`/people/${author.id}/${path}`, { course: course.slug, ...fields })
    assert.equal((await act('reporter', 'suspension', { reason: 'No' })).statusCode, 403)
    assert.equal(
      (await browsers.assistant.post(`/people/${author.id}/suspension`, { course: '' })).statusCode,
      404,
    )
    assert.equal(
      (await browsers.assistant.post(`/people/${assistant.id}/suspension`, { course: course.slug }))
        .statusCode,
      403,
    )
    assert.equal((await act('assistant', 'suspension', { until: '1999-01-01' })).statusCode, 422)
    const profile = personPath(author)
    const offered = async (by: keyof typeof browsers) => {
      const { body } = await browsers[by].get(profile)
      assert.deepEqual(await markupMistakes(body), [])
      return ['suspension', 'suspension/end', 'posts/deletion', 'posts/restoration'].filter((path) =>
        body.includes(`action="/people/${author.id}/${path}"`),
      )
    }
    assert.deepEqual(await offered('assistant'), ['suspension', 'posts/deletion'])
    assert.deepEqual(await offered('reporter'), [])
    const until = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
    const untilText = until.replaceAll('-', '\\.')
    const sent = await Promise.all(
      ['One', 'Two', 'Three'].map((reason) => act('assistant', 'suspension', { until, reason })),
    )
    assert.deepEqual(sent.map(({ statusCode }) => statusCode).toSorted(), [303, 409, 409])
    const inForce = await db
      .selectFrom('measures')
      .select('id')
      .where('person_id', '=', author.id)
      .where('ended_at', 'is', null)
      .execute()
    assert.equal(inForce.length, 1)
    assert.deepEqual(await offered('instructor'), ['suspension/end', 'posts/deletion'])
    const shownTo = async (by: keyof typeof browsers) => textOf((await browsers[by].get(profile)).body)
    assert.match(await shownTo('instructor'), new RegExp(`Suspended in .* until ${untilText}`))
    assert.doesNotMatch(await shownTo('reporter'), /Suspended/)
    const second = await act('instructor', 'suspension', { until: '', reason: 'zyxkept' })
    assert.equal(second.statusCode, 409)
    assert.match(textOf(second.body), new RegExp(`already suspended here, until ${untilText}.*zyxkept`, 's'))
    assert.deepEqual(await markupMistakes(second.body), [])
    assert.equal(
      (await browsers.author.post(`/questions/${question.id}/answers`, { body: 'x' })).statusCode,
      403,
    )
    assert.equal((await act('instructor', 'suspension/end')).statusCode, 303)
    assert.equal(
      (await browsers.author.post(`/questions/${question.id}/votes`, { value: 1 })).statusCode,
      303,
    )
    const shown = async () => {
      const answers = await db
        .selectFrom('answers')
        .select(['id', 'is_shown'])
        .where('author_id', '=', author.id)
        .orderBy('id')
        .execute()
      const replies = await db.selectFrom('replies').select('is_shown').where('id', '=', reply.id).execute()
      return [...answers, ...replies].map(({ is_shown: is }) => is)
    }
    assert.equal(elsewhere.id > answer.id, true)
    await reported(db, { about: 'reply', id: reply.id }, null)
    assert.equal(
      (await act('assistant', 'posts/deletion', { reason: 'spam', note: 'Adverts' })).statusCode,
      303,
    )
    assert.deepEqual(await shown(), [false, true, false])
    assert.deepEqual(await offered('assistant'), ['suspension', 'posts/deletion', 'posts/restoration'])
    assert.equal(
      (await caseOf(db, { about: 'reply', id: reply.id })).state,
      'upheld',
      'no report waits about what is gone',
    )
    const removal = await caseOf(db, { about: 'person', id: author.id })
    const [measure] = await measuresOf(db, removal.id)
    const daysAgo = (days: number) =>
      sql`update measures set starts_at = starts_at - ${days} * interval '1 day' where id = ${measure?.id}`.execute(
        db,
      )
    const deletedAgo = (days: number) =>
      Promise.all([
        daysAgo(days),
        ...['answers', 'replies'].map((table) =>
          sql`update ${sql.table(table)} set deleted_at = deleted_at - ${days} * interval '1 day'
            where author_id = ${author.id} and deleted_at is not null`.execute(db),
        ),
      ])
    await deletedAgo(31)
    assert.deepEqual(await offered('instructor'), ['suspension', 'posts/deletion'])
    await act('instructor', 'posts/restoration')
    assert.match(await shownTo('instructor'), /deleted more than 30 days ago and can’t be restored/)
    const casePage = `/cases/${removal.id}`
    assert.doesNotMatch((await browsers.instructor.get(casePage)).body, /\/end"/)
    const lifting = await browsers.instructor.post(`/measures/${measure?.id}/end`, { note: 'zyxnote' })
    assert.equal(lifting.statusCode, 422)
    assert.match(textOf(lifting.body), /more than 30 days ago.*zyxnote/s)
    assert.deepEqual(await shown(), [false, true, false])
    await deletedAgo(-2)
    assert.match((await browsers.instructor.get(casePage)).body, /\/end"/)
    assert.deepEqual(await offered('instructor'), ['suspension', 'posts/deletion', 'posts/restoration'])
    assert.equal((await act('instructor', 'posts/restoration')).statusCode, 303)
    assert.deepEqual(await shown(), [true, true, true])
    assert.deepEqual(await offered('instructor'), ['suspension', 'posts/deletion'])
    await doJobs(db, caseLettersKind(db, LETTERS))
    const letters = await db
      .selectFrom('mails')
      .select('text')
      .where('recipient', '=', author.email)
      .orderBy('id')
      .execute()
    assert.equal(letters.length, 3, 'a suspension begun and lifted, and no statement for spam')
    assert.match(letters[1]?.text ?? '', /^.*Lifted: Suspended in/s)
    assert.match(letters[2]?.text ?? '', /because of spam: All posts deleted\. .* It’s now lifted/)
  })

  test('staff open a case themselves, from the post’s and the profile’s menu', async () => {
    const { db, app, course, question, answer, subject, browsers, author, assistant } = await aScene()
    const path = `/answers/${answer.id}/cases`
    const thread = `/questions/${question.id}/which-tests-count`
    assert.ok((await browsers.assistant.get(thread)).body.includes(`href="${path}"`))
    assert.ok(!(await browsers.reporter.get(thread)).body.includes('/cases'))
    const form = await browsers.assistant.get(path)
    assert.deepEqual(await markupMistakes(form.body), [])
    assert.match(textOf(form.body), /Open a case about an answer.*Gives away a solution/s)
    for (const by of ['reporter', 'author'] as const) {
      assert.equal((await browsers[by].get(path)).statusCode, 403)
      assert.equal((await browsers[by].post(path, { reason: 'solution' })).statusCode, 403)
    }
    assert.equal((await browsers.assistant.post(path, { reason: '' })).statusCode, 422)
    const opened = await browsers.assistant.post(path, { reason: 'solution' })
    const matter = await caseOf(db, subject)
    assert.equal(opened.headers.location, `/cases/${matter.id}`)
    assert.deepEqual([matter.is_reported, matter.opened_by], [false, assistant.id])
    assert.match(
      textOf((await browsers.instructor.get(`/cases/${matter.id}`)).body),
      /zyxsolution.*Opened by staff/s,
    )
    assert.match((await browsers.instructor.get('/notifications')).body, /A case is waiting in/)
    const again = await browsers.instructor.post(path, { reason: 'rude' })
    assert.equal(again.headers.location, `/cases/${matter.id}`, 'one case, whoever opens it')
    await decided(db, assistant.id, matter, [])
    assert.equal((await browsers.instructor.post(path, { reason: 'rude' })).statusCode, 303)
    assert.notEqual((await caseOf(db, subject)).id, matter.id, 'staff look again at a text that was reviewed')

    const colleague = await anAnswer(db, { question, author: await aMember(db, course, 'assistant') })
    const passed = await browsers.assistant.post(`/answers/${colleague.id}/cases`, { reason: 'rude' })
    assert.match(String(passed.headers.location), /^\/questions\//)
    assert.match((await browsers.assistant.follow(passed)).body, /Someone else handles it/)

    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const profile = `/people/${author.id}/cases`
    assert.ok(
      (await admin.follow(await admin.get(`/people/${author.id}`))).body.includes(`href="${profile}"`),
    )
    assert.equal((await browsers.instructor.post(profile, { reason: 'rude' })).statusCode, 403)
    assert.equal((await admin.get(profile)).statusCode, 200)
    const { location } = (await admin.post(profile, { reason: 'rude' })).headers
    assert.equal(location, `/cases/${(await caseOf(db, { about: 'person', id: author.id })).id}`)
  })

  test('a decision names one of the rules where there are any, in the person’s statement too', async () => {
    const { db, course, subject, reporter, author, browsers } = await aScene()
    await db
      .insertInto('policies')
      .values([
        { course_id: course.id, name: 'rules', language: 'en', body: '## Explain ideas\n\nNo solutions.' },
        { course_id: null, name: 'rules', language: 'ko', body: '## 서로 존중하기\n\n.' },
      ])
      .execute()
    await reported(db, subject, reporter.id)
    const { id, version } = await caseOf(db, subject)
    const page = await browsers.assistant.get(`/cases/${id}`)
    assert.deepEqual(await markupMistakes(page.body), [])
    assert.match(page.body, /<optgroup label="This course">\s*<option value="Explain ideas">/)
    const decide = (rule: string) =>
      browsers.assistant.post(`/cases/${id}/decision`, {
        decision: 'uphold',
        version,
        measure: 'warn',
        rule,
        note: 'Typed',
      })
    const unknown = await decide('A rule of my own')
    assert.equal(unknown.statusCode, 422)
    assert.match(unknown.body, /Typed/)
    assert.equal((await decide('Explain ideas')).statusCode, 303)
    assert.equal((await caseOf(db, subject)).rule, 'Explain ideas')
    assert.match(textOf((await browsers.author.get('/settings/standing')).body), /Rule.*Explain ideas/s)
    assert.ok((await doJobs(db, caseLettersKind(db, LETTERS))) > 0)
    const mails = db.selectFrom('mails').select(['person_id', 'text'])
    const statement = await mails.where('person_id', '=', author.id).executeTakeFirstOrThrow()
    assert.match(statement.text, /Rule: Explain ideas/)
    await db.deleteFrom('policies').execute()
  })

  test('a script claims a case as it is opened; others see that, and get no claim of their own', async () => {
    const { db, subject, reporter, assistant, browsers } = await aScene()
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

  test('all posts of an account go once a box is ticked, for a reason that the person is told unless it is spam', async () => {
    const { db, app, course, author, answer, browsers } = await aScene()
    const path = `/people/${author.id}/posts/deletion`
    const place = { course: course.slug }
    assert.equal((await browsers.reporter.get(`${path}?course=${course.slug}`)).statusCode, 403)
    assert.equal((await browsers.assistant.get(`${path}?course=`)).statusCode, 404)
    assert.equal((await visitor(app).get(`${path}?course=${course.slug}`)).statusCode, 303)
    const profile = await browsers.assistant.follow(await browsers.assistant.get(`/people/${author.id}`))
    assert.match(profile.body, new RegExp(`<form action="${path}"`))
    const page = await browsers.assistant.get(`${path}?course=${course.slug}`)
    assert.deepEqual(await markupMistakes(page.body), [])
    assert.match(textOf(page.body), /Delete one post by/)
    const isShown = async () =>
      (
        await db
          .selectFrom('answers')
          .select('is_shown')
          .where('id', '=', answer.id)
          .executeTakeFirstOrThrow()
      ).is_shown
    const send = (fields: Record<string, string>) =>
      browsers.assistant.post(path, { ...place, asks: '1', rule: 'Be kind', note: 'Zyxnote', ...fields })
    for (const [fields, fault] of [
      [{ reason: 'rude' }, /Tick the box/],
      [{ reason: '', sure: '1' }, /Select a reason\./],
    ] as const) {
      const refused = await send(fields)
      assert.equal(refused.statusCode, 422)
      assert.match(refused.body, fault)
      assert.match(refused.body, /Be kind[\s\S]*Zyxnote/)
      assert.deepEqual(await markupMistakes(refused.body), [])
    }
    assert.equal(await isShown(), true)
    const letters = async () => {
      await doJobs(db, caseLettersKind(db, LETTERS))
      return db.selectFrom('mails').select(['subject', 'text']).where('person_id', '=', author.id).execute()
    }
    assert.equal((await send({ reason: 'spam', sure: '1' })).statusCode, 303)
    assert.equal(await isShown(), false)
    assert.deepEqual(await letters(), [])
    assert.match((await browsers.assistant.get(`${path}?course=${course.slug}`)).body, /no posts to delete/)
    await browsers.assistant.post(`/people/${author.id}/posts/restoration`, place)
    assert.equal(await isShown(), true)
    const told = (await letters()).length
    assert.equal((await send({ reason: 'rude', sure: '1' })).statusCode, 303)
    assert.equal(await isShown(), false)
    const statement = (await letters()).slice(told).map(({ text }) => text)
    assert.equal(statement.length, 1)
    assert.match(String(statement), /All posts deleted[\s\S]*Zyxnote[\s\S]*Rule: Be kind/)
    assert.match(
      textOf((await browsers.author.get('/settings/standing')).body),
      /All posts deleted.*Zyxnote/s,
    )
    assert.match((await browsers.author.get('/notifications')).body, /settings\/standing/)
  })

  test('a suspension with a wrong date comes back as it was typed', async () => {
    const { db, course, author, browsers } = await aScene()
    const path = `/people/${author.id}/suspension`
    const sent = { course: course.slug, until: '1999-01-01', reason: 'Zyxreason', back: '/desk' }
    const refused = await browsers.assistant.post(path, sent)
    assert.equal(refused.statusCode, 422)
    assert.deepEqual(await markupMistakes(refused.body), [])
    assert.match(refused.body, /name="back" value="\/desk"[\s\S]*value="1999-01-01"[\s\S]*Zyxreason/)
    assert.match(textOf(refused.body), /between tomorrow and a year from now/)
    assert.equal((await browsers.reporter.post(path, sent)).statusCode, 403)
    assert.deepEqual(
      await db.selectFrom('measures').select('id').where('person_id', '=', author.id).execute(),
      [],
    )
  })

  test('an admin removes personal data from a case by its form; the log holds the ground, the case the note', async () => {
    const { db, app, subject, reporter, browsers } = await aScene()
    await reported(db, subject, reporter.id, { note: 'zyxnote' })
    const { id } = await caseOf(db, subject)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const [page, path] = [`/cases/${id}`, `/cases/${id}/redaction`]
    const before = (await admin.get(page)).body
    assert.match(before, new RegExp(`action="${path}"`))
    assert.match(before, /zyxsolution[\s\S]*zyxnote/)
    assert.doesNotMatch((await browsers.instructor.get(page)).body, /\/redaction"/)
    const sent = { ground: 'asked', note: 'Mina wrote to us' }
    assert.equal((await browsers.instructor.post(path, sent)).statusCode, 403)
    const wrong = await admin.post(path, { ...sent, ground: 'because' })
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /href="#redact-ground"[\s\S]* id="redact-ground"[\s\S]*Mina wrote to us/)
    assert.equal((await admin.post(path, sent)).headers.location, page)
    const after = (await admin.get(page)).body
    assert.match(textOf(after), /Removed by an admin/)
    assert.doesNotMatch(after, /zyxnote|\/redaction"/)
    const entries = await db.selectFrom('audit').selectAll().where('subject_id', '=', id).execute()
    const entry = entries.find(({ detail }) => detail.act === 'redact') ?? assert.fail('no entry')
    assert.deepEqual([entry.subject_kind, entry.detail.ground], ['case', 'asked'])
    assert.doesNotMatch(JSON.stringify(entry), /Mina/)
    assert.match(textOf((await admin.get('/audit')).body), /Reason: The person asked for it/)
    const kept = await db.selectFrom('case_snapshots').selectAll().where('case_id', '=', id).execute()
    assert.deepEqual([kept[0]?.body, kept[0]?.redacted_why], [null, 'Mina wrote to us'])
  })

  test('who reported with an account gets the outcome by email unless they want none, and no letter comes twice', async () => {
    const { db, course, subject, reporter, assistant } = await aScene()
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
