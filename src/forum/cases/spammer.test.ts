import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { leave } from '../../accounts/deletion/testing.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { accountMerge } from '../merging/operations.ts'
import { lockQuestion } from '../posts/lock.ts'
import { addWebhookRow } from '../webhooks/row-testing.ts'
import { suspend } from './acts-on-people.ts'
import { objection } from './endings.ts'
import { endMeasure } from './measures.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { isSuspendedForGood, spammer, spammerCounts, spammerUndo } from './spammer.ts'
import { begun, caseOf, decided, lettersTo, reported } from './testing.ts'

type Person = { readonly id: number }
const sure = { sure: '1' }

suite('a spammer', () => {
  const forum = forumOfCases()

  /** The scene with what the author of its answer posted besides: a question, and a reply that is held. */
  async function aScene() {
    const scene = await aReportedScene(forum)
    const { db, course, author, question } = scene
    const own = await aQuestion(db, { course, author, title: 'Cheap zyxwatches?' })
    const { id: heldId } = await aReply(db, { question, author, body: 'Buy zyxpills' })
    await setRows(db, 'replies', heldId, { held_at: new Date(), held_for: 'hosts' })
    const key = { personId: author.id, course: course.slug }
    const place = { personId: author.id, courseId: course.id }
    const admin = await aPerson(db, { isAdmin: true })
    const mark = (actor: Person, at = key) => act(forum, spammer, { actor, key: at, input: sure })
    const undo = (actor: Person, at = key) => act(forum, spammerUndo, { actor, key: at })
    const states = async () => {
      const posts = [await rowOf(db, 'questions', own.id), await rowOf(db, 'answers', scene.answer.id)]
      return [...posts, await rowOf(db, 'replies', heldId)].map((post) =>
        post.deleted_at !== null ? 'deleted' : post.held_at !== null ? 'held' : 'shown',
      )
    }
    return { ...scene, own, heldId, key, place, admin, mark, undo, states }
  }

  test('is suspended for good, and all of theirs is gone: posts, held ones too, open cases, drafts and links to join by', async () => {
    const { db, course, author, reporter, question, instructor, subject, place, browsers, mark, states } =
      await aScene()
    const elsewhere = await aCourse(db)
    await aMember(db, elsewhere, 'instructor', author)
    await reported(db, subject, reporter.id)
    const drafts: readonly string[] = [
      `/questions?course=${course.slug}`,
      `/answers/${subject.id}/replies`,
      `/questions?course=${elsewhere.slug}`,
    ]
    const saves = async (place: string, version: number) =>
      (await browsers.author.post('/drafts', { place, body: 'Zyx', version })).statusCode
    for (const place of drafts) assert.equal(await saves(place, 0), 303)
    for (const courseId of [course.id, elsewhere.id])
      await addWebhookRow(db, { courseId, ownerId: author.id })
    assert.equal((await spammerCounts(db, place)).webhooks, 1)
    assert.deepEqual(await mark(instructor), { isDone: true, blocked: 0 })
    const owned = await rowsOf(db, 'webhooks', { owner_id: author.id })
    assert.deepEqual(valuesOf(owned, 'course_id'), [elsewhere.id], 'those of this course end')
    assert.deepEqual(await states(), ['deleted', 'deleted', 'deleted'])
    assert.ok(await isSuspendedForGood(db, place))
    const { state, reason, decided_by: by } = await caseOf(db, subject)
    assert.deepEqual([state, reason, by], ['upheld', 'spam', instructor.id])
    const left = valuesOf(await rowsOf(db, 'drafts', { person_id: author.id }), 'place')
    assert.deepEqual(left, [drafts[2]], 'of this course alone')
    const statuses = []
    for (const place of drafts) statuses.push(await saves(place, 1))
    assert.deepEqual(statuses, [403, 403, 303])
    const answered = await browsers.author.post(`/questions/${question.id}/answers`, { body: 'x' })
    assert.equal(answered.statusCode, 403)
  })

  test('everywhere is for admins: it ends the links to join by that they made, and cases about their name', async () => {
    const { db, course, author, reporter, instructor, admin, key, mark, undo } = await aScene()
    await setRows(db, 'course_members', { person_id: author.id }, { role: 'instructor' })
    const browser = await signedIn(forum.app, author)
    const made = await browser.post(`/courses/${course.slug}/invitations`, { role: 'learner' })
    assert.equal(made.statusCode, 303)
    await reported(db, { about: 'person', id: author.id }, reporter.id)
    const everywhere = { ...key, course: '' }
    const byStaff = { actor: instructor, key: everywhere, input: sure }
    assert.equal(await refusalOf(forum, spammer, byStaff), 'notFound')
    await mark(admin, everywhere)
    const [link] = await rowsOf(db, 'invitations', { made_by: author.id })
    assert.ok(link?.ended_at)
    assert.equal((await caseOf(db, { about: 'person', id: author.id })).state, 'upheld')
    const [open] = await rowsOf(db, 'cases', { person_id: author.id, state: 'open' })
    assert.equal(open, undefined)
    await undo(admin, everywhere)
    assert.ok((await rowsOf(db, 'invitations', { made_by: author.id }))[0]?.ended_at, 'ended for good')
  })

  test('is nobody’s equal, above one, oneself, or anyone who is unknown in the course', async () => {
    const { db, course, author, assistant, instructor, reporter, admin, key } = await aScene()
    const why = (actor: Person, personId = author.id) =>
      refusalOf(forum, spammer, { actor, key: { ...key, personId }, input: sure })
    const other = await aMember(db, course, 'assistant')
    assert.equal(await why(reporter), 'forbidden')
    assert.equal(await why(assistant, assistant.id), 'forbidden')
    assert.equal(await why(assistant, other.id), 'forbidden')
    assert.equal(await why(assistant, instructor.id), 'forbidden')
    assert.equal(await why(instructor, admin.id), 'notFound')
    assert.equal(await why(instructor, (await aPerson(db)).id), 'notFound')
    assert.equal(await why(instructor, 2_000_000_000), 'notFound')
    await refuses(forum, spammer, { actor: assistant, key }, [
      [{}, 'sure: spammer.sure.missing'],
      [{ sure: '0' }, 'sure: spammer.sure.missing'],
    ])
    assert.deepEqual(await rowsOf(db, 'measures', { person_id: author.id }), [])
    assert.equal(await why(assistant), 'done')
  })

  test('hears nothing of it, stays signed in, and finds it on the page of their standing, where they can object', async () => {
    const { db, author, reporter, instructor, subject, browsers, mark, undo } = await aScene()
    await reported(db, subject, reporter.id)
    await mark(instructor)
    assert.deepEqual(await lettersTo(db, author), [])
    assert.deepEqual(await rowsOf(db, 'notifications', { person_id: author.id }), [])
    const standing = await browsers.author.get('/settings/standing')
    assert.equal(standing.statusCode, 200)
    assert.match(textOf(standing.body), /All posts deleted.*Spam/s)
    const measures = await rowsOf(db, 'measures', { person_id: author.id })
    assert.deepEqual(valuesOf(measures, 'kind').toSorted(), ['delete', 'suspend'])
    const input = { measure: `${measures[0]?.id}`, note: 'I am not.' }
    await act(forum, objection, { actor: author, key: null, input })
    await undo(instructor)
    assert.match(String((await lettersTo(db, author)).map(({ text }) => text)), /undone/)
  })

  test('is none after an undo: the posts are back, held ones held, what others removed stays so, and cases stay decided', async () => {
    const { db, author, reporter, instructor, assistant, subject, ...scene } = await aScene()
    const { own, heldId, place, mark, undo, states } = scene
    const { id: removedId } = await anAnswer(db, { question: own, author })
    await within(db, deleteAnswer, own.id, removedId)
    await reported(db, subject, reporter.id)
    await reported(db, { about: 'question', id: own.id }, reporter.id)
    const matter = await caseOf(db, subject)
    await mark(instructor)
    // Somebody else decides about a post that is gone already.
    await reported(db, { about: 'reply', id: heldId }, reporter.id)
    const other = await caseOf(db, { about: 'question', id: own.id })
    await setRows(db, 'cases', other.id, { state: 'open', decided_at: null, decided_by: null })
    const open = await rowOf(db, 'cases', other.id)
    assert.ok(await decided(db, assistant.id, open, ['delete'], { note: 'Rude' }))
    assert.deepEqual(await undo(instructor), { isDone: true })
    assert.deepEqual(await states(), ['deleted', 'shown', 'held'])
    assert.ok((await rowOf(db, 'answers', removedId)).deleted_at)
    assert.ok(!(await isSuspendedForGood(db, place)))
    assert.equal((await rowOf(db, 'cases', matter.id)).state, 'upheld')
    const page = await (await signedIn(forum.app, instructor)).get(`/cases/${matter.id}`)
    assert.match(textOf(page.body), /undone\. This decision stays.*marked as a spammer\./s)
    assert.deepEqual(await undo(instructor), { isDone: false })
    const [measure] = await rowsOf(db, 'measures', { case_id: other.id })
    const lifting = { how: 'lifted', actorId: assistant.id, note: '' } as const
    await within(db, endMeasure, measure?.id ?? 0, lifting)
    assert.deepEqual(await states(), ['shown', 'shown', 'held'], 'with the end of what removed it')
  })

  test('of two removals that overlap, the end of the first leaves the posts to the second', async () => {
    const { key, instructor, admin, mark, undo, states } = await aScene()
    const everywhere = { ...key, course: '' }
    await mark(instructor)
    await mark(admin, everywhere)
    await undo(instructor)
    assert.deepEqual(await states(), ['deleted', 'deleted', 'deleted'])
    await undo(admin, everywhere)
    assert.deepEqual(await states(), ['shown', 'shown', 'held'])
  })

  test('without posts in a course is told of none that were deleted there, whatever was elsewhere', async () => {
    const { db, author, instructor, key, mark } = await aScene()
    await mark(instructor)
    const other = await aCourse(db)
    await aMember(db, other, 'instructor', instructor)
    await aMember(db, other, 'learner', author)
    await mark(instructor, { ...key, course: other.slug })
    const there = await rowsOf(db, 'measures', { course_id: other.id })
    assert.deepEqual(valuesOf(there, 'kind'), ['suspend'])
  })

  test('who was suspended for good before stays so after an undo; one that ends is no hindrance', async () => {
    const { db, instructor, place, mark, undo } = await aScene()
    const until = sql<Date>`now() + interval '3 days'`
    await within(db, suspend, instructor.id, { ...place, until, note: 'Rude' })
    await mark(instructor)
    assert.ok(await isSuspendedForGood(db, place))
    await undo(instructor)
    assert.ok(!(await isSuspendedForGood(db, place)))
    const left = await rowsOf(db, 'measures', { person_id: place.personId, ended_at: null })
    assert.equal(left.length, 1, 'the one for three days')

    await within(db, suspend, instructor.id, { ...place, until: null, note: 'Rude' })
    assert.equal((await mark(instructor)).isDone, true)
    await undo(instructor)
    assert.ok(await isSuspendedForGood(db, place))
  })

  test('is refused to others before anything is locked, so that no one posting waits for that', async () => {
    const { db, other, author, own, key } = await aScene()
    const lock = await begun(db, (write) => lockQuestion(write, own.id))
    for (const actor of [other, author])
      for (const operation of [spammer, spammerUndo])
        assert.equal(await refusalOf(forum, operation, { actor, key, input: sure }), 'forbidden')
    await lock()
  })

  test('two do it at once, while a post is being written: it is one act, and nothing of theirs is left', async () => {
    const { db, author, instructor, assistant, question, browsers, mark } = await aScene()
    const lock = await begun(db, (write) => lockQuestion(write, question.id))
    const path = `/questions/${question.id}/answers`
    const first = browsers.author.post(path, { body: 'Buy zyxpills, now.' })
    await untilWaiting(db)
    const acts = [mark(instructor), mark(assistant)]
    await untilWaiting(db, 3)
    await lock()
    const second = browsers.author.post(path, { body: 'Buy zyxpills, again.' })
    const done = (await Promise.all(acts)).map(({ isDone }) => isDone)
    assert.deepEqual(done.toSorted(), [false, true])
    for (const { statusCode } of await Promise.all([first, second]))
      assert.ok([303, 403].includes(statusCode), String(statusCode))
    const left = await rowsOf(db, 'answers', { author_id: author.id, deleted_at: null })
    assert.deepEqual(left, [])
    assert.equal((await rowsOf(db, 'measures', { person_id: author.id, kind: 'suspend' })).length, 1)
  })

  test('can be undone for thirty days, and not after that', async () => {
    const { db, instructor, key, course, browsers, mark } = await aScene()
    await mark(instructor)
    const { id } = await caseOf(db, { about: 'person', id: key.personId })
    await setRows(db, 'cases', id, { decided_at: sql`now() - interval '30 days 1 hour'` })
    assert.equal(await refusalOf(forum, spammerUndo, { actor: instructor, key }), 'undo: spammer.undo.late')
    const path = `/people/${key.personId}/spammer/undo`
    const late = await browsers.instructor.post(path, { course: course.slug })
    assert.equal(late.statusCode, 422)
    assert.match(textOf(late.body), /more than 30 days ago/)
    assert.ok(!late.body.includes(`action="${path}"`))
  })

  test('is still one when the account is merged into another, where it can be undone', async () => {
    const { db, course, author, admin, instructor, key, states, mark, undo } = await aScene()
    const into = await aMember(db, course)
    await mark(instructor)
    const merge = { into: String(into.id), from: String(author.id) }
    await act(forum, accountMerge, { actor: admin, key: merge, input: { ...merge, sure: '1' } })
    assert.equal((await mark(instructor, { ...key, personId: into.id })).isDone, false)
    await undo(instructor, { ...key, personId: into.id })
    assert.deepEqual(await states(), ['shown', 'shown', 'held'])
  })

  test('who deletes their account takes the act along: nothing is left to undo', async () => {
    const { db, author, instructor, key, mark, states } = await aScene()
    await mark(instructor)
    await leave(db, author.id, 'delete')
    assert.equal(await refusalOf(forum, spammerUndo, { actor: instructor, key }), 'notFound')
    assert.deepEqual(await states(), ['deleted', 'deleted', 'deleted'])
  })

  test('the page says with numbers what it does, and what was done with the way back', async () => {
    const { db, course, author, reporter, assistant, subject, browsers } = await aScene()
    await reported(db, subject, reporter.id)
    const path = `/people/${author.id}/spammer`
    const page = async () => (await browsers.assistant.get(`${path}?course=${course.slug}`)).body
    const before = await page()
    assert.deepEqual(await markupMistakes(before), [])
    assert.match(
      textOf(before),
      /Suspend the account for good Delete 3 posts \(1 held for review\) Decide one open case as spam Delete no drafts End no invitation links/,
    )
    const unsure = await browsers.assistant.post(path, { course: course.slug, back: '/desk' })
    assert.equal(unsure.statusCode, 422)
    assert.deepEqual(await markupMistakes(unsure.body), [])
    assert.match(unsure.body, /Tick the box[\s\S]*name="back" value="\/desk"/)
    const sent = { course: course.slug, back: `/courses/${course.slug}/moderation`, sure: '1' }
    const done = await browsers.assistant.post(path, sent)
    assert.equal(done.headers.location, sent.back)
    const next = await browsers.assistant.follow(done)
    assert.match(next.body, new RegExp(`${path}/undo"[\\s\\S]*Undo`))
    const after = await page()
    assert.deepEqual(await markupMistakes(after), [])
    assert.match(textOf(after), new RegExp(`Marked as a spammer by ${assistant.displayName}`))
    assert.doesNotMatch(after, /name="sure"/)
    const undone = await browsers.assistant.post(`${path}/undo`, { course: course.slug })
    const profile = await browsers.assistant.follow(await browsers.assistant.follow(undone))
    assert.match(textOf(profile.body), /Undone\. The posts are back/)
  })

  test('a case, a held post, a profile and the people of a course lead there, for who may do it', async () => {
    const { db, course, author, reporter, subject, browsers } = await aScene()
    await reported(db, subject, reporter.id)
    const { id } = await caseOf(db, subject)
    const there = `/people/${author.id}/spammer`
    const ofCourse = `/courses/${course.slug}`
    for (const path of [`/cases/${id}`, `${ofCourse}/moderation?view=held`, `${ofCourse}/members`])
      assert.ok((await browsers.assistant.get(path)).body.includes(`${there}?course=${course.slug}`), path)
    const profile = await browsers.assistant.follow(await browsers.assistant.get(`/people/${author.id}`))
    assert.ok(profile.body.includes(`action="${there}"`))
    const admin = await signedIn(forum.app, await aPerson(db, { isAdmin: true }))
    for (const path of ['/admin/people', '/moderation?view=held'])
      assert.ok((await admin.get(path)).body.includes(`${there}?back=`), path)
    const learner = await browsers.reporter.follow(await browsers.reporter.get(`/people/${author.id}`))
    assert.ok(!learner.body.includes('/spammer'))
    assert.equal((await browsers.reporter.get(`${there}?course=${course.slug}`)).statusCode, 403)
  })
})
