import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { act, refusalOf } from '../../testing/act.ts'
import { visitor } from '../../testing/browser.ts'
import { aMember, aPerson } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { handOver, passOnStrandedCases } from './claims.ts'
import { outcomeObjection, outcomeObjectionAnswer, outcomeObjectionHandover } from './report-objection.ts'
import { caseRedaction } from './retention.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, decided, lettersTo, reported, toldOf } from './testing.ts'

type Person = { readonly id: number }

suite('objections to what became of a report', () => {
  const forum = forumOfCases()

  /** An answer that was reported by two, one of them a visitor, and on which staff took no action. */
  async function aScene() {
    const scene = await aReportedScene(forum, { displayName: 'Zyxauthor' })
    const { db, subject, reporter, assistant } = scene
    await reported(db, subject, reporter.id, { note: 'Zyxmine' })
    const guest = { email: `guest-${subject.id}@home.example` }
    await reported(db, subject, null, { ...guest, note: 'Zyxguest' })
    const { id, version } = await caseOf(db, subject)
    const decides = (by: Person = assistant) =>
      decided(db, by.id, { id, version }, [], { reporterNote: 'Zyxoutcome' })
    const [own, visitors] = await rowsOf(db, 'reports', { case_id: id })
    const reportId = own?.id ?? 0
    const objects = (actor: Person | null, input: Record<string, string> = {}) =>
      refusalOf(forum, outcomeObjection, {
        actor,
        key: null,
        input: { report: `${reportId}`, note: 'Look again', ...input },
      })
    const answers = (actor: Person, value: 'keep' | 'lift') =>
      refusalOf(forum, outcomeObjectionAnswer, { actor, key: reportId, input: { value, note: 'Zyxanswer' } })
    return { ...scene, guest, caseId: id, reportId, visitorsId: visitors?.id ?? 0, decides, objects, answers }
  }

  test('who reported reads what they wrote and the outcome, nothing of the author, and objects once in six months', async () => {
    const { db, browsers, caseId, reportId, decides, objects, reporter, other } = await aScene()
    const path = `/reports/${reportId}`
    const shown = async () => textOf((await browsers.reporter.get(path)).body)
    assert.match(await shown(), /Answer to “Which tests count\?”.*Rude.*Zyxmine.*Staff are looking/s)
    assert.equal(await objects(reporter), 'note: myReport.open')
    await decides()
    const page = await browsers.reporter.get(path)
    assert.deepEqual(await markupMistakes(page.body), [])
    assert.match(textOf(page.body), /took no action.*Zyxoutcome.*You can object until/s)
    for (const hidden of ['Zyxauthor', 'zyxsolution', 'Zyxguest'])
      assert.ok(!page.body.includes(hidden), hidden)
    assert.equal((await browsers.author.get(path)).statusCode, 404)
    assert.equal(await objects(other), 'notFound')
    assert.match(String((await visitor(forum.app).get(path)).headers.location), /^\/sign-in/)
    const empty = await browsers.reporter.post(`${path}/objection`, { note: '' })
    assert.equal(empty.statusCode, 422)
    assert.deepEqual(await markupMistakes(empty.body), [])
    const decidedAgo = (interval: string) =>
      setRows(db, 'cases', caseId, { decided_at: sql`now() - ${interval}::interval` })
    await decidedAgo('6 months 1 day')
    assert.doesNotMatch((await browsers.reporter.get(path)).body, /\/objection"/)
    const late = await browsers.reporter.post(`${path}/objection`, { note: 'Zyxlate' })
    assert.match(textOf(late.body), /You could object for six months.*Zyxlate/s)
    await decidedAgo('5 months')
    const again = () => browsers.reporter.post(`${path}/objection`, { note: 'Zyxagain' })
    const sent = await Promise.all([again(), again(), again()])
    assert.deepEqual(valuesOf(sent, 'statusCode'), [303, 303, 303])
    assert.equal((await rowsOf(db, 'objections', { report_id: reportId })).length, 1)
    assert.match(await shown(), /You objected\. .*You objected: Zyxagain/s)
  })

  test('a visitor gets to their report by the link in the outcome, and is answered by email without anyone’s text', async () => {
    const { db, guest, visitorsId, caseId, decides, instructor, browsers } = await aScene()
    await decides()
    const [outcome] = await lettersTo(db, guest)
    const path = /\/reports\/by-mail\/[\w-]{24}/.exec(outcome?.text ?? '')?.[0] ?? assert.fail(outcome?.text)
    assert.match(outcome?.text ?? '', /you can object once until/)
    const browser = visitor(forum.app)
    const page = await browser.get(path)
    assert.match(textOf(page.body), /Zyxguest.*took no action/s)
    assert.doesNotMatch(page.body, /Zyxmine|Zyxauthor/)
    assert.equal((await browser.get(`${path.slice(0, -1)}_`)).statusCode, 404)
    assert.equal((await browser.post(`${path}/objection`, { note: 'Zyxobject' })).headers.location, path)
    const matter = await browsers.instructor.get(`/cases/${caseId}`)
    assert.match(matter.body, /Objection by who reported it[\s\S]*Zyxobject/)
    const input = { value: 'keep', note: 'Zyxreply' }
    await act(forum, outcomeObjectionAnswer, { actor: instructor, key: visitorsId, input })
    const [, reply, ...more] = await lettersTo(db, guest)
    assert.match(reply?.text ?? '', /the decision stays/)
    assert.match(reply?.text ?? '', new RegExp(path))
    assert.doesNotMatch(`${outcome?.text}${reply?.text}`, /Zyx/)
    assert.deepEqual(more, [])
    assert.match(textOf((await browser.get(path)).body), /the decision stays.*Zyxreply/s)
  })

  test('someone who didn’t decide answers, where there is someone; it waits among the objections until then', async () => {
    const { db, course, caseId, reportId, author, reporter, assistant, instructor, browsers, ...scene } =
      await aScene()
    const { decides, objects, answers } = scene
    await decides()
    const queue = async () =>
      (await browsers.assistant.get(`/courses/${course.slug}/moderation?view=objections`)).body
    assert.doesNotMatch(await queue(), new RegExp(`/cases/${caseId}"`))
    assert.equal(await objects(reporter), 'done')
    assert.match(await queue(), new RegExp(`/cases/${caseId}"`))
    assert.equal(await answers(assistant, 'keep'), 'ownDecision')
    const own = await browsers.assistant.get(`/cases/${caseId}`)
    assert.match(textOf(own.body), /someone else has to answer/)
    assert.equal(await answers(author, 'keep'), 'forbidden')
    assert.deepEqual(await toldOf(db, instructor), ['objection'])
    const typed = { value: 'perhaps', note: 'Zyxkept' }
    const wrong = await browsers.instructor.post(`/reports/${reportId}/objection/answer`, typed)
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /Zyxkept/)
    assert.deepEqual(await markupMistakes(wrong.body), [])
    assert.equal(await answers(instructor, 'keep'), 'done')
    assert.doesNotMatch(await queue(), new RegExp(`/cases/${caseId}"`))
    assert.equal((await rowOf(db, 'cases', caseId)).state, 'declined', 'an objection reopens nothing')
    const letters = (await lettersTo(db, reporter)).map(({ text }) => text)
    assert.match(letters.at(-1) ?? '', /decision stays.*Zyxanswer/s)
    const toAuthor = [await toldOf(db, author), await lettersTo(db, author)]
    assert.deepEqual(toAuthor, [[], []], 'the author hears of neither')
    const bell = (await browsers.reporter.get('/notifications')).body
    assert.match(bell, /Your objection was answered, the decision stays/)
  })

  test('an objection that is right opens a case anew, whose outcome they are told', async () => {
    const { db, subject, caseId, reporter, instructor, browsers, decides, objects, answers } = await aScene()
    await decides()
    await objects(reporter)
    assert.equal(await answers(instructor, 'lift'), 'done')
    const again = await caseOf(db, subject)
    assert.notEqual(again.id, caseId)
    assert.deepEqual([again.state, again.is_reported, again.reports_count], ['open', true, 1])
    const [mine] = await rowsOf(db, 'reports', { case_id: again.id })
    assert.deepEqual([mine?.person_id, mine?.note], [reporter.id, 'Zyxmine'])
    await decided(db, instructor.id, again, ['hide'], { note: 'Rude' })
    assert.match(textOf((await browsers.reporter.get(`/reports/${mine?.id}`)).body), /took action/)
  })

  test('an admin who removes personal data from a case empties what its reporters objected as well', async () => {
    const { db, caseId, reportId, reporter, browsers, decides } = await aScene()
    await decides()
    const input = { report: `${reportId}`, note: 'Zyxobjects' }
    await act(forum, outcomeObjection, { actor: reporter, key: null, input })
    const pages = async () => [
      (await browsers.instructor.get(`/cases/${caseId}`)).body,
      (await browsers.reporter.get(`/reports/${reportId}`)).body,
    ]
    for (const page of await pages()) assert.match(page, /Zyxobjects/)
    const admin = await aPerson(db, { isAdmin: true })
    const redaction = { case: `${caseId}`, ground: 'asked', note: '' }
    await act(forum, caseRedaction, { actor: admin, key: null, input: redaction })
    const { note, made_at: madeAt } = await rowOf(db, 'objections', { report_id: reportId })
    assert.deepEqual([note, madeAt === null], ['', false])
    for (const page of await pages()) {
      assert.doesNotMatch(page, /Zyxobjects/)
      assert.deepEqual(await markupMistakes(page), [])
    }
  })

  test('whoever decided alone answers or passes it on; after three days it is the admins’ by itself', async () => {
    const { db, course, caseId, reportId, reporter, assistant, instructor, browsers, ...scene } =
      await aScene()
    const { decides, objects, answers } = scene
    await decides()
    await objects(reporter)
    const role = { person_id: instructor.id, course_id: course.id }
    await setRows(db, 'course_members', role, { role: 'learner' })
    assert.match((await browsers.assistant.get(`/cases/${caseId}`)).body, /\/objection\/handover"/)
    await setRows(db, 'objections', { report_id: reportId }, { made_at: sql`now() - interval '4 days'` })
    await passOnStrandedCases(db)
    assert.equal((await rowOf(db, 'cases', caseId)).is_for_admins, true)
    const back = { isToAdmins: false, note: '', of: 'objection' } as const
    await within(db, handOver, assistant.id, caseId, back)
    const hands = () => refusalOf(forum, outcomeObjectionHandover, { actor: assistant, key: reportId })
    assert.equal(await hands(), 'done')
    await within(db, handOver, assistant.id, caseId, back)
    assert.equal(await answers(assistant, 'keep'), 'done')
    await assert.rejects(hands(), /CaseChanged|^Error/)
  })

  test('staff who reported leave the answer to others, and a suspended reporter objects', async () => {
    const { db, subject, course, instructor, assistant } = await aReportedScene(forum)
    const admin = await aPerson(db, { isAdmin: true })
    const learner = await aMember(db, course)
    for (const { id } of [instructor, learner]) await reported(db, subject, id)
    await decided(db, assistant.id, await caseOf(db, subject), [])
    const reports = await rowsOf(db, 'reports', { case_id: (await caseOf(db, subject)).id })
    const reportOf = ({ id }: Person) => reports.find(({ person_id: by }) => by === id)?.id ?? 0
    await reported(db, { about: 'person', id: learner.id }, null)
    const ofLearner = await caseOf(db, { about: 'person', id: learner.id })
    await decided(db, admin.id, ofLearner, ['suspend'], { isEverywhere: true })
    for (const actor of [instructor, learner]) {
      const input = { report: `${reportOf(actor)}`, note: 'Look again' }
      assert.equal(await refusalOf(forum, outcomeObjection, { actor, key: null, input }), 'done')
    }
    const key = reportOf(instructor)
    const input = { value: 'keep', note: '' }
    for (const [actor, outcome] of [
      [instructor, 'forbidden'],
      [admin, 'done'],
    ] as const)
      assert.equal(await refusalOf(forum, outcomeObjectionAnswer, { actor, key, input }), outcome)
  })
})
