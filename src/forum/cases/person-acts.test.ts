import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aReply } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { aDayAhead } from '../../testing/pass-time.ts'
import { rowOf, rowsOf, valuesOf } from '../../testing/rows.ts'
import { writtenDay } from '../../text/dates.ts'
import { personPath } from '../../web/paths.ts'
import { postsRemoval, postsRestoration, suspension, suspensionEnd } from './acts-on-people.ts'
import { measureEnd } from './endings.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, lettersTo, measuresOf, reported } from './testing.ts'

const ACTS = {
  suspension,
  'suspension/end': suspensionEnd,
  'posts/deletion': postsRemoval,
  'posts/restoration': postsRestoration,
}

type Person = { readonly id: number }

suite('acts on a person', () => {
  const forum = forumOfCases()

  test('people whom staff can’t meet in their course aren’t there to suspend: no case names them, no letter reaches them', async () => {
    const { db, course, question, assistant, instructor, reporter } = await aReportedScene(forum)
    const inside = await aMember(db, await aCourse(db, { isPublic: false }))
    const [nowhere, former] = [await aPerson(db), await aPerson(db)]
    await anAnswer(db, { question, author: former })
    const refusals = async (actor: Person, personId: number) => {
      const found: string[] = []
      const doing = { actor, key: { personId, course: course.slug }, input: { reason: 'spam' } }
      for (const operation of Object.values(ACTS)) found.push(await refusalOf(forum, operation, doing))
      return [...new Set(found)]
    }
    for (const { id } of [inside, nowhere]) {
      for (const by of [assistant, instructor]) assert.deepEqual(await refusals(by, id), ['notFound'])
      assert.deepEqual(await refusals(reporter, id), ['forbidden'], 'as of anyone')
      assert.deepEqual(await rowsOf(db, 'cases', { person_id: id }), [])
    }
    assert.deepEqual(await refusals(assistant, former.id), ['done'])
  })

  /** The scene with what its staff do to the author of the answer. */
  async function aScene() {
    const scene = await aReportedScene(forum)
    const { course, author, browsers } = scene
    const key = { personId: author.id, course: course.slug }
    const does = (path: keyof typeof ACTS, actor: Person, input = {}) =>
      act<typeof key, unknown>(forum, ACTS[path], { actor, key, input })
    const profile = async (by: Browser) => (await by.get(personPath(author))).body
    const offers = async (by: Browser, ...paths: readonly string[]) => {
      const body = await profile(by)
      assert.deepEqual(await markupMistakes(body), [])
      const all = Object.keys(ACTS).filter((path) => body.includes(`action="/people/${author.id}/${path}"`))
      assert.deepEqual(all, paths)
    }
    return { ...scene, key, does, profile, offers, staff: browsers.instructor }
  }

  test('staff suspend and lift the suspension of an account below them, in their course', async () => {
    const { db, course, key, author, assistant, instructor, question, browsers, ...scene } = await aScene()
    const { does, offers, profile, staff } = scene
    const refusal = (actor: Person, key: { personId: number; course: string }) =>
      refusalOf(forum, suspension, { actor, key })
    assert.equal(await refusal(assistant, { ...key, course: '' }), 'notFound')
    assert.equal(await refusal(assistant, { ...key, personId: assistant.id }), 'forbidden')
    await offers(browsers.assistant, 'suspension', 'posts/deletion')
    await offers(browsers.reporter)
    const until = aDayAhead(40)
    const sent = ['One', 'Two', 'Three'].map((reason) => does('suspension', assistant, { until, reason }))
    const outcomes = (await Promise.allSettled(sent)).map(({ status }) => status)
    assert.deepEqual(outcomes.toSorted(), ['fulfilled', 'rejected', 'rejected'])
    assert.equal((await rowsOf(db, 'measures', { person_id: author.id, ended_at: null })).length, 1)
    await offers(staff, 'suspension/end', 'posts/deletion')
    const untilText = writtenDay(until, 'en')
    assert.match(textOf(await profile(staff)), new RegExp(`Suspended in .* until ${untilText}`))
    assert.doesNotMatch(textOf(await profile(browsers.reporter)), /Suspended/)
    const again = { course: course.slug, until: '', reason: 'zyxkept' }
    const second = await staff.post(`/people/${author.id}/suspension`, again)
    assert.equal(second.statusCode, 409)
    assert.match(textOf(second.body), new RegExp(`already suspended here, until ${untilText}.*zyxkept`, 's'))
    assert.deepEqual(await markupMistakes(second.body), [])
    const votes = async () =>
      (await browsers.author.post(`/questions/${question.id}/votes`, { value: 1 })).statusCode
    assert.equal(await votes(), 403)
    await does('suspension/end', instructor)
    assert.equal(await votes(), 303)
    const [, lifted, ...more] = await lettersTo(db, author)
    assert.match(lifted?.text ?? '', /^.*Undone: Suspended in/s)
    assert.deepEqual(more, [])
  })

  test('staff delete and restore all posts of an account below them, in their course, for 30 days', async () => {
    const { db, author, assistant, instructor, answer, key, ...scene } = await aScene()
    const { does, offers, profile, staff } = scene
    const reply = await aReply(db, { answer, author, body: 'And again' })
    await anAnswer(db, { author })
    const shown = async () => {
      const answers = await rowsOf(db, 'answers', { author_id: author.id })
      return [...valuesOf(answers, 'is_shown'), (await rowOf(db, 'replies', reply.id)).is_shown]
    }
    await reported(db, { about: 'reply', id: reply.id }, null)
    await does('posts/deletion', assistant, { reason: 'spam', note: 'Adverts' })
    assert.deepEqual(await shown(), [false, true, false])
    await offers(staff, 'suspension', 'posts/deletion', 'posts/restoration')
    const about = await caseOf(db, { about: 'reply', id: reply.id })
    assert.equal(about.state, 'upheld', 'no report waits about what is gone')
    const { id: caseId } = await caseOf(db, { about: 'person', id: author.id })
    const measureId = (await measuresOf(db, caseId))[0]?.id ?? 0
    const goBack = async (days: number) => {
      const before = sql`${days} * interval '1 day'`
      await sql`update measures set starts_at = starts_at - ${before} where id = ${measureId}`.execute(db)
      for (const table of ['answers', 'replies'])
        await sql`update ${sql.table(table)} set deleted_at = deleted_at - ${before}
          where author_id = ${author.id} and deleted_at is not null`.execute(db)
    }
    await goBack(31)
    await offers(staff, 'suspension', 'posts/deletion')
    await staff.post(`/people/${author.id}/posts/restoration`, { course: key.course })
    assert.match(textOf(await profile(staff)), /deleted more than 30 days ago and can’t be restored/)
    assert.doesNotMatch((await staff.get(`/cases/${caseId}`)).body, /\/end"/)
    const by = { actor: instructor, key: measureId }
    await refuses(forum, measureEnd, by, [[{ note: 'zyxnote' }, 'note: removal.flash.late']])
    const lifting = await staff.post(`/measures/${measureId}/end`, { note: 'zyxnote' })
    assert.match(textOf(lifting.body), /more than 30 days ago.*zyxnote/s)
    assert.deepEqual(await shown(), [false, true, false])
    await goBack(-2)
    assert.match((await staff.get(`/cases/${caseId}`)).body, /\/end"/)
    await offers(staff, 'suspension', 'posts/deletion', 'posts/restoration')
    await does('posts/restoration', instructor)
    assert.deepEqual(await shown(), [true, true, true])
    await offers(staff, 'suspension', 'posts/deletion')
    const [letter, ...others] = await lettersTo(db, author)
    assert.deepEqual(others, [], 'no statement for spam')
    assert.match(letter?.text ?? '', /because of spam: All posts deleted\. .* It’s now undone/)
  })

  test('all posts of an account go once a box is ticked, for a reason that the person is told unless it is spam', async () => {
    const { db, course, author, assistant, answer, browsers, key, does } = await aScene()
    const path = `/people/${author.id}/posts/deletion`
    const page = () => browsers.assistant.get(`${path}?course=${course.slug}`)
    assert.equal((await browsers.assistant.get(`${path}?course=`)).statusCode, 404)
    assert.match(textOf((await page()).body), /Delete one post by/)
    const isShown = async () => (await rowOf(db, 'answers', answer.id)).is_shown
    const sent = { asks: '1', rule: 'Be kind', note: 'Zyxnote' }
    await refuses(forum, postsRemoval, { actor: assistant, key }, [
      [{ ...sent, reason: 'rude' }, 'sure: removal.sure.missing'],
      [{ ...sent, reason: '', sure: '1' }, 'reason: reports.form.noReason'],
    ])
    const refused = await browsers.assistant.post(path, { course: course.slug, ...sent, reason: 'rude' })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /Tick the box[\s\S]*Be kind[\s\S]*Zyxnote/)
    assert.deepEqual(await markupMistakes(refused.body), [])
    assert.equal(await isShown(), true)
    await does('posts/deletion', assistant, { ...sent, reason: 'spam', sure: '1' })
    assert.equal(await isShown(), false)
    assert.deepEqual(await lettersTo(db, author), [])
    assert.match((await page()).body, /no posts to delete/)
    await does('posts/restoration', assistant)
    assert.equal(await isShown(), true)
    const told = (await lettersTo(db, author)).length
    await does('posts/deletion', assistant, { ...sent, reason: 'rude', sure: '1' })
    assert.equal(await isShown(), false)
    const statement = (await lettersTo(db, author)).slice(told).map(({ text }) => text)
    assert.equal(statement.length, 1)
    assert.match(String(statement), /All posts deleted[\s\S]*Zyxnote[\s\S]*Rule: Be kind/)
    const standing = textOf((await browsers.author.get('/settings/standing')).body)
    assert.match(standing, /All posts deleted.*Zyxnote/s)
    assert.match((await browsers.author.get('/notifications')).body, /settings\/standing/)
  })

  test('a suspension with a wrong date comes back as it was typed', async () => {
    const { db, course, author, browsers } = await aReportedScene(forum)
    const sent = { course: course.slug, until: '1999-01-01', reason: 'Zyxreason', back: '/desk' }
    const refused = await browsers.assistant.post(`/people/${author.id}/suspension`, sent)
    assert.equal(refused.statusCode, 422)
    assert.deepEqual(await markupMistakes(refused.body), [])
    assert.match(refused.body, /name="back" value="\/desk"[\s\S]*value="1999-01-01"[\s\S]*Zyxreason/)
    assert.match(textOf(refused.body), /between tomorrow and a year from now/)
    assert.deepEqual(await rowsOf(db, 'measures', { person_id: author.id }), [])
  })

  test('a form that names two courses, or one and every one, does nothing', async () => {
    const { db, app, course, author, answer } = await aReportedScene(forum)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const sent = { course: ['', course.slug], until: '', for_good: '1', reason: 'spam', sure: '1' }
    for (const act of ['suspension', 'posts/deletion', 'spammer', 'spammer/undo'])
      assert.equal((await admin.post(`/people/${author.id}/${act}`, sent)).statusCode, 400, act)
    assert.deepEqual(await rowsOf(db, 'measures', { person_id: author.id }), [])
    assert.equal((await rowOf(db, 'answers', answer.id)).is_shown, true)
  })
})
