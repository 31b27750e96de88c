import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { postAnswer } from '../answers/operations.ts'
import { questionAudience } from '../questions/operations.ts'
import { caseDecision } from './decision.ts'
import { measureEnd, objection } from './endings.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, decided, lettersTo, measuresOf, reported } from './testing.ts'

suite('decisions', () => {
  const forum = forumOfCases()

  test('a decision names one of the rules where there are any, in the person’s statement too', async () => {
    const { db, course, subject, assistant, reporter, author, browsers } = await aReportedScene(forum)
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
    assert.match(page.body, /<optgroup label="This course">\s*<option value="Explain ideas">/)
    const warn = { decision: 'uphold', version: `${version}`, measure: 'warn' }
    await refuses(forum, caseDecision, { actor: assistant, key: id }, [
      [{ ...warn, rule: 'A rule of my own' }, 'rule: forms.choice'],
      [{ ...warn, rule: 'Explain ideas' }, 'done'],
    ])
    assert.equal((await caseOf(db, subject)).rule, 'Explain ideas')
    assert.match(textOf((await browsers.author.get('/settings/standing')).body), /Rule.*Explain ideas/s)
    assert.match((await lettersTo(db, author))[0]?.text ?? '', /Rule: Explain ideas/)
    await db.deleteFrom('policies').execute()
  })

  test('one press decides, with the ground as its reason or the rule last chosen for it, and can be undone', async () => {
    const { db, course, question, reporter, author, browsers } = await aReportedScene(forum)
    const anOpenCase = async () => {
      const answer = await anAnswer(db, { question, author })
      const subject = { about: 'answer', id: answer.id } as const
      await reported(db, subject, reporter.id, { reason: 'rude' })
      const { id, version } = await caseOf(db, subject)
      const page = await browsers.instructor.get(`/cases/${id}`)
      const press = (quick: string, more: Record<string, string> = {}) =>
        browsers.instructor.post(`/cases/${id}/decision`, { quick, version, ...more })
      return { subject, id, page: page.body, press }
    }
    const kindsOf = async (id: number) => (await measuresOf(db, id)).map(({ kind }) => kind).toSorted()

    const first = await anOpenCase()
    assert.match(first.page, /name="rule"[^>]* value=""[\s\S]*name="note"[^>]*>\s*Rude<\/textarea>/)
    const hidden = await first.press('hide', { rule: 'Be kind', note: 'Rude', measure: 'suspend' })
    assert.equal(hidden.headers.location, `/courses/${course.slug}/moderation`)
    const queue = await browsers.instructor.follow(hidden)
    const [measure] = await measuresOf(db, first.id)
    assert.match(textOf(queue.body), /Hidden\. Undo/)
    assert.ok(queue.body.includes(`action="/measures/${measure?.id}/end"`))
    assert.deepEqual(await kindsOf(first.id), ['hide'], 'what is under “More” has a button of its own')
    assert.equal((await caseOf(db, first.subject)).note, 'Rude')
    await browsers.instructor.post(`/measures/${measure?.id}/end`, {})
    assert.equal((await browsers.reporter.get(`/answers/${first.subject.id}`)).statusCode, 303)

    const second = await anOpenCase()
    assert.match(second.page, /name="rule"[^>]* value="Be kind"[\s\S]*name="note"[^>]*>\s*<\/textarea>/)
    assert.equal((await second.press('delete', { rule: 'Be kind' })).statusCode, 303)
    assert.deepEqual(await kindsOf(second.id), ['delete', 'warn'])
    assert.equal((await caseOf(db, second.subject)).rule, 'Be kind')

    const third = await anOpenCase()
    assert.equal((await third.press('none', { measure: 'warn', rule: 'Be kind' })).statusCode, 303)
    assert.deepEqual([(await caseOf(db, third.subject)).state, await kindsOf(third.id)], ['declined', []])

    const fourth = await anOpenCase()
    const refused = await fourth.press('perhaps', { note: 'zyxkept' })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /zyxkept/)
  })

  test('closing lets staff alone answer, and a question made private is shared again only when that ends', async () => {
    const { db, app, course, reporter, assistant, instructor, browsers } = await aReportedScene(forum)
    const asker = await aMember(db, course)
    const { id } = await aQuestion(db, { course, author: asker, title: 'Zyxtopic' })
    const subject = { about: 'question', id } as const
    const own = await signedIn(app, asker)
    await reported(db, subject, reporter.id)
    await decided(db, instructor.id, await caseOf(db, subject), ['close', 'private'])
    const path = `/questions/${id}/zyxtopic`
    assert.equal((await browsers.reporter.get(path)).statusCode, 404)
    const shares = () =>
      refusalOf(forum, questionAudience, { actor: asker, key: id, input: { audience: 'course' } })
    const offersShare = async () =>
      (await own.follow(await own.get(path))).body.includes('name="audience" value="course"')
    assert.equal(await offersShare(), false)
    assert.equal(await shares(), 'keptPrivate')
    const [close, hidden] = await measuresOf(db, (await caseOf(db, subject)).id)
    const ends = (key = 0) => act(forum, measureEnd, { actor: instructor, key })
    await ends(hidden?.id)
    assert.equal((await browsers.reporter.get(path)).statusCode, 404, 'lifting publishes nothing')
    assert.equal(await offersShare(), true)
    assert.equal(await shares(), 'done')
    const answers = (actor: { readonly id: number }) =>
      refusalOf(forum, postAnswer, { actor, key: id, input: { body: 'Like this.' } })
    assert.match(textOf((await browsers.reporter.get(path)).body), /Staff closed this question/)
    assert.deepEqual([await answers(reporter), await answers(assistant)], ['closed', 'done'])
    await ends(close?.id)
    assert.equal(await answers(reporter), 'done')
  })

  test('the title of a course is text in the measure that it names', async () => {
    const { db, browsers, course, judged } = await aReportedScene(forum)
    await setRows(db, 'courses', course.id, { title: 'C <i>or</i> C++' })
    const { id } = await judged(['suspend'])
    const { body } = await browsers.instructor.get(`/cases/${id}`)
    assert.match(body, /: Suspended in C &lt;i&gt;or&lt;\/i&gt; C\+\+<\/span>\s*<\/summary>/)
    assert.ok(!body.includes('<i>or'))
  })

  test('an objection is answered by another than who decided, once; what is refused shows what was typed', async () => {
    const { db, browsers, question, author, reporter, judged } = await aReportedScene(forum)
    const { id, measureId } = await judged(['suspend'], { note: 'Be kind.' })
    const refused = await browsers.author.post(`/questions/${question.id}/replies`, { body: 'Why?' })
    assert.match(textOf(refused.body), /You’re suspended in .*with no end\. Reason: “Be kind\.”/)
    const objects = (actor: { readonly id: number }, note: string) =>
      refusalOf(forum, objection, { actor, key: null, input: { measure: `${measureId}`, note } })
    assert.equal(await objects(author, ''), 'note: standing.object.empty')
    assert.equal(await objects(reporter, 'Not mine'), 'notFound')
    assert.equal(await objects(author, 'I was kind.'), 'done')
    const [answerPath, endPath] = [`/measures/${measureId}/objection/answer`, `/measures/${measureId}/end`]
    const own = await browsers.assistant.post(answerPath, { value: 'keep', note: 'zyxown' })
    assert.equal(own.statusCode, 403)
    assert.match(own.body, /This was your decision[\s\S]*zyxown/)
    const page = await browsers.instructor.get(`/cases/${id}`)
    assert.match(page.body, /I was kind\./)
    assert.deepEqual(await markupMistakes(page.body), [])
    for (const [path, fields] of [
      [answerPath, { value: 'perhaps', note: 'zyxkept' }],
      [endPath, { note: `zyxkept${'x'.repeat(5000)}` }],
    ] as const) {
      const wrong = await browsers.instructor.post(path, fields)
      assert.equal(wrong.statusCode, 422)
      assert.match(wrong.body, new RegExp(`action="${path}"[\\s\\S]*zyxkept`))
      const [, field] = /error-summary[\s\S]*?href="#([\w-]+)"/.exec(wrong.body) ?? []
      assert.match(wrong.body, new RegExp(` id="${field}"`))
      assert.deepEqual(await markupMistakes(wrong.body), [])
    }
    await browsers.instructor.post(answerPath, { value: 'lift', note: 'You were.' })
    const standing = textOf((await browsers.author.get('/settings/standing')).body)
    assert.match(standing, /Undone after an objection.*You were\./s)
    assert.match((await browsers.author.get('/notifications')).body, /Your objection was answered/)
    const admin = await signedIn(forum.app, await aPerson(db, { isAdmin: true }))
    for (const [path, fields, word] of [
      [answerPath, { value: 'keep', note: 'zyxslower' }, /already been answered/],
      [endPath, { note: 'zyxslower' }, /measure has already ended/],
    ] as const) {
      const slower = await admin.post(path, fields)
      assert.equal(slower.statusCode, 409)
      assert.match(textOf(slower.body), word)
      assert.match(textOf(slower.body), /Your text to the author \(not sent\) zyxslower/)
      assert.deepEqual(await markupMistakes(slower.body), [])
    }
  })

  test('an admin removes personal data from a case by its form; the log holds the ground, the case the note', async () => {
    const { db, app, subject, reporter, browsers } = await aReportedScene(forum)
    await reported(db, subject, reporter.id, { note: 'zyxnote' })
    const { id } = await caseOf(db, subject)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const [page, path] = [`/cases/${id}`, `/cases/${id}/redaction`]
    const before = (await admin.get(page)).body
    assert.match(before, new RegExp(`action="${path}"`))
    assert.match(before, /zyxsolution[\s\S]*zyxnote/)
    assert.doesNotMatch((await browsers.instructor.get(page)).body, /\/redaction"/)
    const sent = { ground: 'asked', note: 'Mina wrote to us' }
    const wrong = await admin.post(path, { ...sent, ground: 'because' })
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /href="#redact-ground"[\s\S]* id="redact-ground"[\s\S]*Mina wrote to us/)
    assert.equal((await admin.post(path, sent)).headers.location, page)
    const after = (await admin.get(page)).body
    assert.match(textOf(after), /Removed by an admin/)
    assert.doesNotMatch(after, /zyxnote|\/redaction"/)
    const entries = await rowsOf(db, 'audit', { subject_id: id })
    const entry = entries.find(({ detail }) => detail.act === 'redact') ?? assert.fail('no entry')
    assert.deepEqual([entry.subject_kind, entry.detail.ground], ['case', 'asked'])
    assert.doesNotMatch(JSON.stringify(entry), /Mina/)
    assert.match(textOf((await admin.get('/audit')).body), /Reason: The person asked for it/)
    const kept = await rowOf(db, 'case_snapshots', { case_id: id })
    assert.deepEqual([kept.body, kept.redacted_why], [null, 'Mina wrote to us'])
  })
})
