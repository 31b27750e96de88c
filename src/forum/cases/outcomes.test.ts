import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { aProgram } from '../../doors/api/testing.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { act } from '../../testing/act.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { passTime } from '../../testing/pass-time.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { caseLettersKind } from './letters.ts'
import { outcomeObjection, outcomeObjectionAnswer } from './report-objection.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, decided, LETTERS, lettersTo, reported, untilMorning } from './testing.ts'

/** A time zone in which it is noon: no morning comes in between. */
function zoneAtNoon(): string {
  const behind = new Date().getUTCHours() - 12
  return `Etc/GMT${behind < 0 ? behind : `+${behind}`}`
}

const bellOf = (html: string) =>
  /data-behaviour="bell"[\s\S]*?<span class="visually-hidden">([^<]*)</.exec(html)?.[1]

suite('outcomes of reports', () => {
  const forum = forumOfCases()

  async function aScene() {
    const timeZone = zoneAtNoon()
    const scene = await aReportedScene(forum, { timeZone, displayName: 'Zyxauthor' })
    const { db, reporter, instructor, course } = scene
    /** An answer, reported by them and decided: hidden, or left as it is. */
    const outcome = async (
      title: string,
      isHidden = true,
      { in: place = course, by = reporter.id as number | null, email = '' } = {},
    ) => {
      const { id } = await anAnswer(db, { question: await aQuestion(db, { course: place, title }) })
      const subject = { about: 'answer', id } as const
      await reported(db, subject, by, email === '' ? {} : { email })
      await decided(db, instructor.id, await caseOf(db, subject), isHidden ? ['hide'] : [])
      return { id, subject }
    }
    const bell = async () => {
      const { body } = await scene.browsers.reporter.get('/notifications')
      assert.deepEqual(await markupMistakes(body), [])
      return { count: bellOf(body), body, text: textOf(body) }
    }
    return { ...scene, outcome, bell }
  }

  test('of one day and course are one entry of the bell and one email, each naming its post and leading to its report', async () => {
    const { db, reporter, browsers, outcome, bell } = await aScene()
    const titles = Array.from({ length: 20 }, (_, number) => `Zyxtopic ${number + 1}`)
    for (const title of titles) await outcome(title)
    const reports = (await rowsOf(db, 'reports', { person_id: reporter.id })).map(({ id }) => id)
    const { count, body, text } = await bell()
    assert.equal(count, 'One new notification')
    assert.match(text, /Staff acted on 20 of your reports/)
    for (const title of titles) assert.match(text, new RegExp(`Answer to “${title}” ?: hidden`))
    for (const id of reports) assert.ok(body.includes(`href="/reports/${id}"`), `${id}`)
    const panel = (await browsers.reporter.get('/notifications/latest')).body
    assert.equal(panel.match(/news-row/g)?.length, 1)
    assert.match(panel, /href="\/notifications"/)

    await doJobs(db, caseLettersKind(db, LETTERS))
    assert.deepEqual(await rowsOf(db, 'mails', { recipient: reporter.email }), [], 'not before the morning')
    await untilMorning(db)
    await Promise.all([1, 2].map(() => doJobs(db, caseLettersKind(db, LETTERS))))
    const [mail, ...more] = await rowsOf(db, 'mails', { recipient: reporter.email })
    assert.deepEqual([mail?.kind, more], ['report-outcomes', []])
    assert.equal(mail?.subject, 'Staff decided on 20 of your reports')
    for (const [index, title] of titles.entries()) {
      const line = `Answer to “${title}”: staff took action:\nhttps://forum.example/reports/${reports[index]}`
      assert.ok(mail?.text.includes(line), line)
    }
    assert.deepEqual(await lettersTo(db, reporter), [mail], 'once')
  })

  test('of the next day are another, as are those of another course', async () => {
    const { db, reporter, instructor, outcome, bell } = await aScene()
    await outcome('Zyxone')
    await outcome('Zyxtwo', false)
    await passTime(db, '1 day', [reporter])
    await outcome('Zyxthree')
    const elsewhere = await aCourse(db, { timeZone: zoneAtNoon() })
    await aMember(db, elsewhere, 'instructor', instructor)
    await outcome('Zyxfour', true, { in: elsewhere })
    const { count, text } = await bell()
    assert.equal(count, '3 new notifications')
    assert.match(
      text,
      /the answer was hidden: Zyxfour.*the answer was hidden: Zyxthree.*Staff decided on 2 of your reports/s,
    )
    assert.match(text, /“Zyxtwo” ?: no action.*“Zyxone” ?: hidden/s)
  })

  test('are read together, and new again with what comes later that day', async () => {
    const { db, reporter, browsers, outcome, bell } = await aScene()
    for (const title of ['Zyxone', 'Zyxtwo']) await outcome(title)
    const [opening = ''] = /\/notifications\/\d+\/opening/.exec((await bell()).body) ?? []
    assert.equal((await browsers.reporter.post(opening)).headers.location, '/notifications')
    assert.equal((await bell()).count, 'Notifications')
    const told = await rowsOf(db, 'notifications', { person_id: reporter.id })
    assert.ok(told.every(({ seen_at: seenAt }) => seenAt !== null))
    await outcome('Zyxthree')
    const { count, text } = await bell()
    assert.equal(count, 'One new notification')
    assert.match(text, /New: Staff acted on 3 of your reports/)
    assert.doesNotMatch(text, /Earlier/)
  })

  test('name no post that the reporter may no longer read, by any way', async () => {
    const { db, course, reporter, outcome, bell } = await aScene()
    for (const title of ['Zyxone', 'Zyxtwo']) await outcome(title, false)
    await setRows(db, 'courses', course.id, { is_public: false })
    await db.deleteFrom('course_members').where('person_id', '=', reporter.id).execute()
    const program = aProgram(forum.app, await aToken({ db }, reporter, ['read']))
    const { items } = (await program.get('/me/notifications')).json()
    const [{ reports }, ...others] = items
    assert.deepEqual([reports.length, others], [2, []])
    const { text } = await bell()
    const [mail] = await lettersTo(db, reporter)
    assert.match(text, /(?:An answer you reported on [^:]+:\d\d ?: no action.*){2}/s)
    assert.match(mail?.text ?? '', /An answer you reported on [^:]+:\d\d: no action:\nhttps/)
    for (const told of [text, JSON.stringify(items), mail?.text ?? '', mail?.subject ?? '', mail?.html ?? ''])
      assert.doesNotMatch(told, /Zyx/)
  })

  test('that changed the same day are told once, as they are now', async () => {
    const { db, reporter, instructor, assistant, subject, outcome, bell } = await aScene()
    await reported(db, subject, reporter.id)
    await decided(db, assistant.id, await caseOf(db, subject), [])
    const [report] = await rowsOf(db, 'reports', { person_id: reporter.id })
    const input = { report: `${report?.id}`, note: 'Look again' }
    await act(forum, outcomeObjection, { actor: reporter, key: null, input })
    const answer = { value: 'lift', note: '' }
    await act(forum, outcomeObjectionAnswer, { actor: instructor, key: report?.id ?? 0, input: answer })
    await decided(db, instructor.id, await caseOf(db, subject), ['hide'], { note: 'Rude' })
    assert.match((await bell()).text, /the answer was hidden/)
    await outcome('Zyxother')
    const { count, text } = await bell()
    assert.equal(count, 'One new notification')
    assert.match(text, /Staff acted on 2 of your reports.*Zyxother.*Answer to “Which[^”]*” ?: hidden/s)
    const letters = (await lettersTo(db, reporter)).filter(({ kind }) => kind === 'report-outcomes')
    const lines = letters.map(({ text: said }) => said.match(/Answer to “Which[^”]*”: .*:/g))
    assert.deepEqual(lines, [['Answer to “Which tests count?”: staff took action:']])
  })

  test('go to a visitor’s address in one email, which leads to each report and has nobody’s text', async () => {
    const { db, outcome } = await aScene()
    const guest = { email: 'zyx-many@home.example', by: null }
    for (const title of ['Zyxone', 'Zyxtwo']) await outcome(title, true, guest)
    const [mail, ...more] = await lettersTo(db, guest)
    assert.deepEqual([mail?.kind, more], ['report-outcomes', []])
    const paths = mail?.text.match(/\/reports\/by-mail\/[\w-]{24}/g) ?? []
    assert.equal(new Set(paths).size, 2)
    for (const path of paths) assert.equal((await visitor(forum.app).get(path)).statusCode, 200)
    assert.doesNotMatch(`${mail?.subject}${mail?.text}${mail?.html}`, /Zyx/)
  })

  test('wait for nobody who is gone, and take up no more once their case was emptied', async () => {
    const { db, outcome } = await aScene()
    const guest = { email: 'zyx-gone@home.example', by: null }
    await outcome('Zyxone', true, guest)
    await setRows(db, 'reports', { visitor_email: guest.email }, { visitor_email: null })
    assert.deepEqual(await lettersTo(db, guest), [])
    const due = db.selectFrom('reports').select('id').where('outcome_due_at', 'is not', null)
    assert.deepEqual(await due.execute(), [])
  })
})
