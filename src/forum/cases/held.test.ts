import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database, Row } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import type { EventName } from '../../kernel/audit/kinds.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aNewcomer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { postAnswer } from '../answers/operations.ts'
import { joinCourse } from '../courses/commands.ts'
import { REMOVALS } from '../posts/removal.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { askQuestion } from '../questions/operations.ts'
import { replyToAnswer } from '../replies/operations.ts'
import { heldKind } from '../telling/reminders.ts'
import { HELD } from './held.ts'
import { endMeasure } from './measures.ts'
import { decided, inWrite, lettersTo, measuresOf } from './testing.ts'

/** Time passes since posts were written, and held. */
async function pass(db: Database, table: 'questions' | 'answers', which: object, time: string) {
  const ago = sql`${time}::interval`
  await setRows(db, table, which, { held_at: sql`held_at - ${ago}`, written_at: sql`written_at - ${ago}` })
}

suite('held posts', () => {
  const forum = sharedForum()

  async function aScene(hold: Row<'courses'>['hold'] = 'newcomers') {
    const { db } = forum
    const course = await aCourse(db)
    await setRows(db, 'courses', course.id, { hold })
    const [staff, asker] = [await aMember(db, course, 'assistant'), await aMember(db, course)]
    const newcomer = await aNewcomer(db)
    const question = await aQuestion(db, { course, author: asker, title: 'Which port does it use?' })
    const answer = async (actor: { readonly id: number } = newcomer, body = 'Port 443, zyxveiled.') => {
      const noted: EventName[] = []
      const { id, isHeld } = await act(forum, postAnswer, { actor, key: question.id, input: { body }, noted })
      return { id, isHeld, noted }
    }
    const toldTo = async ({ id }: { readonly id: number }) =>
      valuesOf(await rowsOf(db, 'notifications', { person_id: id, question_id: question.id }), 'reason')
    return { db, course, staff, asker, newcomer, question, answer, toldTo }
  }
  type Scene = Awaited<ReturnType<typeof aScene>>
  const release = ({ staff }: Scene, id: number) =>
    act(forum, HELD.answers.release, { actor: staff, key: id })

  test('a course holds nothing, the posts of newcomers or all, and never what staff write', async () => {
    const isHeld = async (hold: Row<'courses'>['hold']) => {
      const { newcomer, asker, staff, answer } = await aScene(hold)
      const posted = [newcomer, asker, staff].map((person) => answer(person))
      return valuesOf(await Promise.all(posted), 'isHeld')
    }
    assert.deepEqual(await isHeld('none'), [false, false, false])
    assert.deepEqual(await isHeld('newcomers'), [true, false, false])
    assert.deepEqual(await isHeld('all'), [true, true, false])
  })

  test('a newcomer is no stranger any more with two shown posts after a day, or with a role that staff gave', async () => {
    const scene = await aScene()
    const { db, course, newcomer } = scene
    assert.ok((await scene.answer()).isHeld)
    await setRows(db, 'people', newcomer.id, { new_until: sql`now() - interval '1 hour'` })
    for (const isHeld of [true, true, false]) {
      const posted = await scene.answer()
      assert.equal(posted.isHeld, isHeld)
      if (isHeld) await release(scene, posted.id)
    }
    const given = await aNewcomer(db)
    assert.ok((await scene.answer(given)).isHeld)
    await aMember(db, course, 'learner', given)
    assert.ok(!(await scene.answer(given)).isHeld)
    const [joined, invited] = [await aNewcomer(db), await aNewcomer(db)]
    await within(db, joinCourse, course.id, joined.id)
    await within(db, joinCourse, course.id, invited.id, true)
    assert.ok((await scene.answer(joined)).isHeld, 'who made themselves a learner')
    assert.ok(!(await scene.answer(invited)).isHeld, 'by an invitation link')
  })

  test('it is shown to its author and staff alone, counts nowhere, tells staff once, and joins nobody', async () => {
    const scene = await aScene()
    const { db, course, staff, asker, newcomer, question, toldTo } = scene
    const { id, noted } = await scene.answer()
    assert.deepEqual(noted, ['post-held'])
    const { answers_count: count, active_at: active } = await rowOf(db, 'questions', question.id)
    assert.deepEqual([count, active], [0, (await rowOf(db, 'questions', question.id)).written_at])
    assert.deepEqual(await rowsOf(db, 'course_members', { course_id: course.id, person_id: newcomer.id }), [])
    assert.deepEqual(await toldTo(asker), [])
    await scene.answer(await aNewcomer(db))
    assert.deepEqual(await toldTo(staff), ['held'])
    const seen = async (person: { readonly id: number } | null) => {
      const browser = person === null ? visitor(forum.app) : await signedIn(forum.app, person)
      const page = textOf((await browser.get(questionPath(question))).body)
      return [page.includes('zyxveiled'), page.includes('Waiting for review'), page.includes('Release')]
    }
    assert.deepEqual(await seen(null), [false, false, false])
    assert.deepEqual(await seen(asker), [false, false, false])
    assert.deepEqual(await seen(newcomer), [true, true, false])
    assert.deepEqual(await seen(staff), [true, true, true])
    const body = 'Why?'
    await refuses(forum, replyToAnswer, { actor: asker, key: id }, [[{ body }, 'notFound']])
    await refuses(forum, replyToAnswer, { actor: staff, key: id }, [[{ body }, 'forbidden']])
  })

  test('staff hear of the first at once, of more together after an hour, and admins of what waited for two days', async () => {
    const scene = await aScene()
    const { db, course, staff, question, toldTo } = scene
    const admin = await aPerson(db, { isAdmin: true })
    const times = async () => {
      const told = { question_id: question.id, person_id: staff.id }
      return (await rowsOf(db, 'notifications', told)).map(({ held_at: at }) => at?.getTime())
    }
    const isToldAgain = async () => {
      const before = await times()
      await doJobs(db, heldKind(db))
      return (await times())[0] !== before[0]
    }
    const passes = async (time: string) => {
      await setRows(db, 'courses', course.id, { held_told_at: sql`held_told_at - ${time}::interval` })
      await pass(db, 'answers', { question_id: question.id }, time)
    }
    await scene.answer()
    const [first] = await times()
    assert.ok(first !== undefined)
    await scene.answer()
    assert.deepEqual(await times(), [first])
    assert.ok(!(await isToldAgain()))
    await setRows(db, 'courses', course.id, { held_told_at: sql`held_told_at - interval '1 hour'` })
    assert.ok(await isToldAgain())
    await passes('47 hours')
    assert.ok(!(await isToldAgain()))
    assert.deepEqual(await toldTo(admin), [])
    await passes('1 hour')
    assert.ok(await isToldAgain())
    assert.deepEqual(await toldTo(admin), ['held'])
    assert.ok(!(await isToldAgain()))
    const bell = await (await signedIn(forum.app, staff)).get(`/courses/${course.slug}`)
    assert.match(textOf(bell.body), /Moderation 2\b/)
  })

  test('released, an anonymous one reveals no name, and makes no member of its author', async () => {
    const scene = await aScene()
    const { db, course, asker, newcomer, question } = scene
    await setRows(db, 'courses', course.id, { allows_anonymous: true })
    const input = { body: 'Port 443, zyxveiled.', anonymous: '1' }
    const { id } = await act(forum, postAnswer, { actor: newcomer, key: question.id, input })
    await release(scene, id)
    assert.deepEqual(await rowsOf(db, 'course_members', { course_id: course.id, person_id: newcomer.id }), [])
    const browser = await signedIn(forum.app, asker)
    const pages = [questionPath(question), '/notifications', `/courses/${course.slug}/feed.atom`]
    const seen = (await Promise.all(pages.map(async (path) => (await browser.get(path)).body))).join()
    assert.match(seen, /zyxveiled/)
    assert.ok(!seen.includes(newcomer.displayName))
    const [entry] = await rowsOf(db, 'audit', { act: 'post-released', course_id: course.id })
    assert.match(JSON.stringify(entry?.detail), /"sentAt":/, 'the log keeps when it was sent')
  })

  test('released, it is dated and told as if it were just posted, once, and its author joins and is told', async () => {
    const scene = await aScene()
    const { db, course, staff, asker, newcomer, question, toldTo } = scene
    const { id } = await scene.answer()
    await pass(db, 'answers', { id }, '3 days')
    const noted: EventName[] = []
    await act(forum, HELD.answers.release, { actor: staff, key: id, noted })
    assert.deepEqual(noted, ['post-released'])
    const answer = await rowOf(db, 'answers', id)
    assert.deepEqual([answer.is_shown, answer.held_at, answer.held_for], [true, null, null])
    const { active_at: active, answers_count: count } = await rowOf(db, 'questions', question.id)
    assert.deepEqual([count, active], [1, answer.written_at])
    const [desk] = await rowsOf(db, 'question_desk', { question_id: question.id })
    assert.deepEqual(desk?.classmates_since, (await rowOf(db, 'questions', question.id)).written_at)
    assert.deepEqual(await toldTo(asker), ['answered'])
    assert.deepEqual(await toldTo(newcomer), ['released'])
    const joined = { course_id: course.id, person_id: newcomer.id }
    assert.equal((await rowsOf(db, 'course_members', joined)).length, 1)
    assert.ok(!(await release(scene, id)).isDone)
    const late = { actor: staff, key: id, input: { ground: 'spam' } }
    assert.ok(!(await act(forum, HELD.answers.rejection, late)).isDone)
    const [told] = await rowsOf(db, 'notifications', { person_id: asker.id, question_id: question.id })
    assert.equal(told?.count, 1)
  })

  test('an edit keeps it held, a deletion takes it out of the queue, and a restoration brings it back there', async () => {
    const scene = await aScene()
    const { db, course, staff, newcomer } = scene
    const { id } = await scene.answer()
    const by = { actor: newcomer, key: id }
    await act(forum, TEXT_EDITS.answers, { ...by, input: { body: 'Port 8443, zyxveiled.', version: 1 } })
    assert.equal((await rowOf(db, 'answers', id)).held_for, 'newcomers')
    const desk = await signedIn(forum.app, staff)
    const queue = async () => textOf((await desk.get(`/courses/${course.slug}/moderation?view=held`)).body)
    const shown = /Port 8443, zyxveiled\..*First posts.*Answer by .* to “Which port does it use\?”/s
    assert.match(await queue(), shown)
    await act(forum, REMOVALS.answers.deletion, by)
    assert.match(await queue(), /No posts are waiting for review/)
    assert.equal(await refusalOf(forum, HELD.answers.release, { actor: staff, key: id }), 'gone')
    await act(forum, REMOVALS.answers.restoration, by)
    assert.match(await queue(), /Port 8443/)
  })

  test('a rejection is a decided case with a reason, of which its author is told unless it is spam', async () => {
    const scene = await aScene()
    const { db, staff, newcomer } = scene
    const { id } = await scene.answer()
    await refuses(forum, HELD.answers.rejection, { actor: staff, key: id }, [
      [{ ground: 'because' }, 'ground: reports.form.noReason'],
      [{ ground: 'rude' }, 'note: reasons.missing'],
    ])
    const rejects = (key: number, input: Readonly<Record<string, string>>) =>
      act(forum, HELD.answers.rejection, { actor: staff, key, input })
    await rejects(id, { ground: 'rude', note: 'Be kind.' })
    const [matter] = await rowsOf(db, 'cases', { answer_id: id })
    assert.deepEqual([matter?.state, matter?.reason, matter?.note], ['upheld', 'rude', 'Be kind.'])
    assert.equal((await lettersTo(db, newcomer)).length, 1)
    const spam = await scene.answer()
    await rejects(spam.id, { ground: 'spam' })
    assert.equal((await lettersTo(db, newcomer)).length, 1)
    const ends = async (caseId: number | undefined, how: 'lifted' | 'objection') => {
      const [measure] = await measuresOf(db, caseId ?? 0)
      await inWrite(db, (write) => endMeasure(write, measure?.id ?? 0, { how, actorId: staff.id, note: '' }))
    }
    // Undone, it waits again; whoever answers an objection says that it may be shown.
    await ends(matter?.id, 'lifted')
    const { is_shown: isShown, held_for: heldFor } = await rowOf(db, 'answers', id)
    assert.deepEqual([isShown, heldFor], [false, 'newcomers'])
    const [other] = await rowsOf(db, 'cases', { answer_id: spam.id })
    await ends(other?.id, 'objection')
    assert.ok((await rowOf(db, 'answers', spam.id)).is_shown)
  })

  test('the statement of reasons says that a machine found it where one noticed something, not where the course holds all', async () => {
    const scene = await aScene()
    const { db, staff, newcomer } = scene
    const input = { ground: 'rude', note: 'Be kind.' }
    const found = async (heldFor: Row<'answers'>['held_for']) => {
      const { id: key } = await scene.answer()
      await setRows(db, 'answers', key, { held_for: heldFor })
      await act(forum, HELD.answers.rejection, { actor: staff, key, input })
      const page = await (await signedIn(forum.app, newcomer)).get('/settings/standing')
      const told = [(await lettersTo(db, newcomer)).at(-1)?.text ?? '', textOf(page.body)]
      return told.map((text) => /An automated check found it|A person found it/.exec(text)?.[0])
    }
    const [machine, person] = ['An automated check found it', 'A person found it']
    assert.deepEqual(await found('newcomers'), [person, person])
    assert.deepEqual(await found('same-text'), [machine, machine])
    const [shown] = await rowsOf(db, 'cases', { person_id: newcomer.id, is_found_by_machine: false })
    assert.ok(shown !== undefined)
  })

  test('what is decided about a held post lets it through, unless it takes it away', async () => {
    const scene = await aScene()
    const { db, staff } = scene
    const outcomes = []
    for (const kinds of [[], ['warn'], ['hide'], ['delete']] as const) {
      const { id } = await scene.answer()
      const about = { subject: `answer-${id}`, answer_id: id }
      const place = { course_id: scene.course.id, person_id: scene.newcomer.id, is_for_admins: false }
      const report = { is_reported: true, text_version: '1', reason: 'rude' } as const
      const opening = db.insertInto('cases').values({ ...about, ...place, ...report })
      const matter = await opening.returning(['id', 'version']).executeTakeFirstOrThrow()
      await decided(db, staff.id, matter, kinds)
      outcomes.push((await rowOf(db, 'answers', id)).is_shown)
    }
    assert.deepEqual(outcomes, [true, true, false, false])
  })

  test('a held question is in no list, and is a question of now once it is released; released while deleted, one of both is done', async () => {
    const { db, course, staff, newcomer } = await aScene('all')
    const input = { title: 'What does zyxveiled mean?', body: 'I wonder.', tags: 'zyxtag' }
    const ask = () => act(forum, askQuestion, { actor: newcomer, key: course.slug, input })
    const { id } = await ask()
    const own = await (await signedIn(forum.app, newcomer)).get(`/courses/${course.slug}?mine=1`)
    assert.match(textOf(own.body), /What does zyxveiled mean\?.*Waiting for review/)
    await pass(db, 'questions', { id }, '1 day')
    const reader = visitor(forum.app)
    const list = `/courses/${course.slug}`
    const isOn = async (path: string) => /zyx(?:veiled mean|tag)/.test((await reader.get(path)).body)
    const told = () => Promise.all([list, `${list}/feed.atom`, '/search?q=zyxveiled', '/tags'].map(isOn))
    assert.deepEqual(await told(), [false, false, false, false])
    await act(forum, HELD.questions.release, { actor: staff, key: id })
    assert.deepEqual((await told()).slice(0, 2), [true, true])
    const [desk] = await rowsOf(db, 'question_desk', { question_id: id })
    assert.deepEqual(desk?.waiting_since, (await rowOf(db, 'questions', id)).written_at)
    const other = await ask()
    const done = await Promise.all([
      refusalOf(forum, HELD.questions.release, { actor: staff, key: other.id }),
      refusalOf(forum, REMOVALS.questions.deletion, { actor: newcomer, key: other.id }),
    ])
    assert.ok(done[1] === 'done' && ['done', 'gone'].includes(done[0] ?? ''), done.join())
    assert.ok(!(await rowOf(db, 'questions', other.id)).is_shown)
  })
})
