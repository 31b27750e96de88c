import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { doJobs } from '../../jobs/do-jobs.ts'
import { changeSiteSettings } from '../../kernel/rights/site-settings.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { isoDay } from '../../text/dates.ts'
import { suspension } from './acts-on-people.ts'
import { caseDecision } from './decision.ts'
import { measureEndingKind, objection } from './endings.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, lettersTo, reported } from './testing.ts'

const dayIn = (days: number) => isoDay(new Date(Date.now() + days * 86_400_000), 'UTC')

suite('the reason of a measure', () => {
  const forum = forumOfCases()

  async function aScene() {
    const scene = await aReportedScene(forum)
    const { course, author, instructor, db } = scene
    const path = `/people/${author.id}`
    const suspends = (input: Record<string, unknown>) => ({
      actor: instructor,
      key: { personId: author.id, course: course.slug },
      input,
    })
    const standing = async () => textOf((await scene.browsers.author.get('/settings/standing')).body)
    const told = async () => valuesOf(await rowsOf(db, 'notifications', { person_id: author.id }), 'reason')
    return { ...scene, path, suspends, standing, told }
  }

  test('but for spam, a rule or a note is required of every act that takes one, beside what was typed', async () => {
    const { db, subject, course, author, reporter, instructor, browsers, path, suspends } = await aScene()
    await reported(db, subject, reporter.id, { reason: 'rude' })
    const { id, version } = await caseOf(db, subject)
    const decision = { decision: 'uphold', version, measure: 'warn', staff_note: 'zyxkept' }
    await refuses(forum, caseDecision, { actor: instructor, key: id }, [
      [decision, 'note: reasons.missing'],
      [{ ...decision, decision: 'decline', measure: '' }, 'done'],
    ])
    await refuses(forum, suspension, suspends({}), [
      [{}, 'reason: reasons.missing'],
      [{ ground: 'rude' }, 'reason: reasons.missing'],
      [{ ground: 'because', reason: 'Mean' }, 'ground: reports.form.noReason'],
      [{ until: '1999-01-01', reason: 'Mean' }, 'until: staffActs.until.bad'],
    ])
    const sent = { course: course.slug, asks: '1', until: dayIn(1), sure: '1', back: '/desk' }
    for (const [act, ground, note] of [
      ['suspension', 'ground', 'reason'],
      ['posts/deletion', 'reason', 'note'],
    ] as const) {
      const refused = await browsers.instructor.post(`${path}/${act}`, { ...sent, [ground]: 'rude' })
      assert.equal(refused.statusCode, 422, act)
      assert.deepEqual(await markupMistakes(refused.body), [])
      assert.match(refused.body, new RegExp(`href="#${note}"[\\s\\S]*Choose a rule or write a note`))
      assert.match(refused.body, /<option value="rude" selected>/)
      assert.match(refused.body, /name="back" value="\/desk"/)
    }
    assert.deepEqual(await rowsOf(db, 'measures', { person_id: author.id }), [])
    await act(forum, suspension, suspends({ ground: 'rude', rule: 'Be kind' }))
    const { reason, rule } = await caseOf(db, { about: 'person', id: author.id })
    assert.deepEqual([reason, rule], ['rude', 'Be kind'])
  })

  test('the page that suspends offers a day, and “for good” by a box alone; an empty day of a program means it', async () => {
    const { db, course, author, browsers, path, suspends } = await aScene()
    const page = await browsers.instructor.get(`${path}/suspension?course=${course.slug}`)
    assert.deepEqual(await markupMistakes(page.body), [])
    const week = dayIn(7)
    assert.match(page.body, new RegExp(`name="until"[^>]* value="${week}"`))
    assert.doesNotMatch(page.body, /name="for_good"[^>]* checked/)
    const sent = { asks: '1', course: course.slug, until: '', reason: 'Zyxreason' }
    const refused = await browsers.instructor.post(`${path}/suspension`, sent)
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /Enter a day, or tick “For good”.*Zyxreason/s)
    const endOf = async (input: Record<string, unknown>) => {
      await act(forum, suspension, suspends({ reason: 'Mean', ...input }))
      const [last] = await rowsOf(db, 'measures', { person_id: author.id, ended_at: null })
      await setRows(db, 'measures', last?.id ?? 0, { ended_at: new Date(), ended_how: 'lifted' })
      return last?.ends_at
    }
    assert.notEqual(await endOf({ asks: '1', until: week }), null)
    assert.equal(await endOf({ asks: '1', until: week, for_good: '1' }), null)
    assert.equal(await endOf({ until: '' }), null)
    assert.equal((await browsers.reporter.get(`${path}/suspension?course=${course.slug}`)).statusCode, 403)
  })

  test('a person reads category, rule, words, who found it, until when to object and where else to turn', async () => {
    const { db, author, standing, judged } = await aScene()
    const complaintBodies = 'The [Appeals Body](https://appeals.example), or a court.'
    await changeSiteSettings(db, { complaintBodies })
    await judged(['hide'], { rule: 'Be kind', note: 'Zyxnote' })
    const page = await standing()
    assert.match(page, /Category Rude Rule Be kind In the words of staff Zyxnote/)
    assert.match(page, /no machine found it\. You can object until \d+ \w+ \d{4}/)
    assert.match(page, /Courts and out-of-court bodies The Appeals Body , or a court\./)
    const [letter] = await lettersTo(db, author)
    assert.match(letter?.text ?? '', /Reason: rude.*Zyxnote.*Rule: Be kind.*no machine.*object once until/s)
    assert.match(letter?.text ?? '', /The Appeals Body \(https:\/\/appeals\.example\), or a court\./)
    await changeSiteSettings(db, { complaintBodies: '' })
    assert.doesNotMatch(await standing(), /out-of-court/)
  })

  test('a measure from before reasons says that none was recorded; objecting ends after six months', async () => {
    const { db, author, browsers, standing, judged } = await aScene()
    const { measureId } = await judged(['hide'])
    assert.match(await standing(), /In the words of staff No reason was recorded\./)
    const input = { measure: `${measureId}`, note: 'No' }
    const objects = () => refusalOf(forum, objection, { actor: author, key: null, input })
    const madeAgo = (interval: string) =>
      setRows(db, 'measures', measureId, { starts_at: sql`now() - ${interval}::interval` })
    await madeAgo('6 months 1 day')
    assert.equal(await objects(), 'note: standing.object.late')
    assert.doesNotMatch((await browsers.author.get('/settings/standing')).body, /\/objection"/)
    await madeAgo('5 months')
    assert.match((await browsers.author.get('/settings/standing')).body, /\/objection"/)
    assert.equal(await objects(), 'done')
  })

  test('spam is silent: of a suspension, its end, all posts deleted and the open cases about them', async () => {
    const { db, course, subject, author, reporter, browsers, path, told, standing } = await aScene()
    await reported(db, subject, reporter.id, { reason: 'rude' })
    const spam = { course: course.slug, reason: 'spam', rule: 'No ads', note: 'Adverts' }
    const week = dayIn(7)
    const suspended = { course: course.slug, ground: 'spam', until: week, asks: '1' }
    assert.equal((await browsers.instructor.post(`${path}/suspension`, suspended)).statusCode, 303)
    assert.equal((await browsers.instructor.post(`${path}/posts/deletion`, spam)).statusCode, 303)
    const matter = await caseOf(db, subject)
    assert.deepEqual([matter.state, matter.reason, matter.rule], ['upheld', 'spam', 'No ads'])
    const over = { starts_at: sql`now() - interval '8 days'`, ends_at: sql`now() - interval '1 day'` }
    await setRows(db, 'measures', { person_id: author.id, kind: 'suspend' }, over)
    const kind = measureEndingKind(db)
    await kind.plan?.()
    assert.equal(await doJobs(db, kind), 1)
    assert.deepEqual([await lettersTo(db, author), await told()], [[], []])
    assert.match(await standing(), /All posts deleted.*Category Spam.*Rule No ads.*Adverts/s)
  })

  test('the account is told once what was done to it, not of each case that this decided', async () => {
    const { db, course, subject, author, reporter, browsers, path, told } = await aScene()
    await reported(db, subject, reporter.id, { reason: 'spam' })
    const rude = { course: course.slug, reason: 'rude', note: 'Insults' }
    assert.equal((await browsers.instructor.post(`${path}/posts/deletion`, rude)).statusCode, 303)
    assert.deepEqual([(await lettersTo(db, author)).length, await told()], [1, ['measure']])
  })
})
