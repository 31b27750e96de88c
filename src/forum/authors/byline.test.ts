import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { setAudience } from '../../testing/audience.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'

const FORUM = join(import.meta.dirname, '..')

suite('who is told who wrote what', () => {
  const forum = sharedForum()

  test('classmates see numbered stand-in names, staff the names as well', async () => {
    const course = await aCourse(forum.db)
    const asker = await aPerson(forum.db, { displayName: 'Zyxmara Quork' })
    const helper = await aPerson(forum.db, { displayName: 'Zyxjun Quork' })
    const question = await aQuestion(forum.db, { course, author: asker, isAnonymous: true, title: 'Zyxword' })
    const answer = await anAnswer(forum.db, { question, author: helper, isAnonymous: true })
    await aReply(forum.db, { answer, author: asker, isAnonymous: true })
    const path = `/questions/${question.id}/zyxword`
    const classmate = await signedIn(forum.app, await aMember(forum.db, course))
    const staff = await signedIn(forum.app, await aMember(forum.db, course, 'assistant'))

    const seen = textOf((await classmate.get(path)).body)
    assert.match(seen, /Anonymous 1 .*Anonymous 2 .*Anonymous 1 Asker/s)
    assert.doesNotMatch(seen, /Quork/)
    assert.match(textOf((await staff.get(path)).body), /Zyxmara Quork .*Anonymous 1 to classmates/s)
    assert.match((await visitor(forum.app).get('/feed.atom')).body, /<name>Anonymous<\/name>/)
  })

  test('a post under the name is not marked as the asker’s where the question is anonymous, nor the other way round', async () => {
    const course = await aCourse(forum.db)
    const classmate = await signedIn(forum.app, await aMember(forum.db, course))
    for (const isAnonymous of [true, false]) {
      const asker = await aPerson(forum.db)
      const question = await aQuestion(forum.db, { course, author: asker, isAnonymous })
      await aReply(forum.db, { question, author: asker, isAnonymous: !isAnonymous })
      const page = await classmate.follow(await classmate.get(`/questions/${question.id}`))
      assert.doesNotMatch(textOf(page.body), /Asker/)
    }
  })

  test('what is anonymous is in no profile, count or search by name', async () => {
    const course = await aCourse(forum.db)
    const mina = await aPerson(forum.db, { displayName: 'Zyxmina' })
    await aQuestion(forum.db, { course, author: mina, title: 'Under the name' })
    await aQuestion(forum.db, { course, author: mina, title: 'Hidden one', isAnonymous: true })
    const answered = await aQuestion(forum.db, { course, title: 'Answered' })
    await anAnswer(forum.db, { question: answered, author: mina, isAnonymous: true })
    const reader = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))

    const profile = await reader.follow(await reader.get(`/people/${mina.id}?show=questions`))
    assert.match(profile.body, /Under the name/)
    assert.doesNotMatch(profile.body, /Hidden one/)
    assert.doesNotMatch((await reader.get(`/people/${mina.id}/zyxmina?show=answers`)).body, /Answered/)
    const found = (await reader.get('/search?q=by:zyxmina')).body
    assert.match(found, /Under the name/)
    assert.doesNotMatch(found, /Hidden one|Answered/)
    const { questions_count, answers_count } = await rowOf(forum.db, 'people', mina.id)
    assert.deepEqual([questions_count, answers_count], [1, 0])
  })

  test('a private question is counted nowhere, and counted again once it is public', async () => {
    const { db } = forum
    const course = await aCourse(db, { lectures: ['One'] })
    const lectureId = course.lectureIds[0] ?? 0
    const mina = await aPerson(db)
    const about = { course, author: mina, lectureId, tags: ['zyxkept'] }
    const question = await aQuestion(db, { ...about, audience: 'staff' })
    const counts = async () => {
      const inCourse = await rowOf(db, 'courses', course.id)
      const inLecture = await rowOf(db, 'lectures', lectureId)
      const own = await rowOf(db, 'people', mina.id)
      const [tag] = await rowsOf(db, 'course_tags', { course_id: course.id })
      const documents = await rowsOf(db, 'search_documents', { question_id: question.id })
      const asked = [inCourse, inLecture, own, tag].map((row) => row?.questions_count ?? 0)
      return [...asked, inCourse.unanswered_count, inLecture.unresolved_count, documents.length]
    }

    assert.deepEqual(await counts(), Array(7).fill(0))
    for (const [audience, count] of [
      ['course', 1],
      ['staff', 0],
    ] as const) {
      await setAudience(db, question.id, audience)
      assert.deepEqual(await counts(), Array(7).fill(count), audience)
    }
    assert.deepEqual(await recount(db, { fix: false }), [])
  })

  test('numbers of stand-in names stay, also when posts are named or people come later', async () => {
    const question = await aQuestion(forum.db)
    const [first, second, third] = [await aPerson(forum.db), await aPerson(forum.db), await aPerson(forum.db)]
    const answer = await anAnswer(forum.db, { question, author: first, isAnonymous: true })
    for (const author of [second, third]) await anAnswer(forum.db, { question, author, isAnonymous: true })
    await setRows(forum.db, 'answers', answer.id, { is_anonymous: false })
    await aReply(forum.db, { question, author: third, isAnonymous: true })

    const numbers = await rowsOf(forum.db, 'stand_ins', { question_id: question.id })
    const named = Object.fromEntries(numbers.map(({ person_id: id, number }) => [number, id]))
    assert.deepEqual(named, { 1: first.id, 2: second.id, 3: third.id })
  })

  test('no other code opens a sealed name, or reads the name of an author unsealed', () => {
    const files = readdirSync(FORUM, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !/test/.test(file),
    )
    const having = (words: RegExp) =>
      files.filter((file) => words.test(readFileSync(join(FORUM, file), 'utf8'))).sort()
    assert.deepEqual(having(/\bunsealed\b/), ['authors/byline.ts', 'authors/sealed-name.ts'])
    const why = 'select the author of a post by sealedName, and say here why somebody else is named'
    assert.deepEqual(having(UNSEALED), NAMING, why)
  })
})

/** Neither sealed, nor of staff by what they did as staff. */
const UNSEALED = /(?<!sealedName\('\w+\.|\b(?:assignee|claimant|linker|endorser)\.)display_name/

/**
 * Who is named as themselves: staff to choose from, faces of those who answered under their name, profiles, `by:`; staff who
 * announce something (never without their name), or own a webhook; members in the list that staff see, also as a file; the author of a
 * post that the operator's command removes; whom a post mentions, and whom it may; staff who handle a case or decided it, who reported it, and the
 * name that is reported or reset; who acted, in the audit log; whom a reader may meet.
 */
const NAMING = [
  'announcements/announcement.ts',
  'announcements/routes.ts',
  'audit/entries.ts',
  'authors/met.ts',
  'authors/sealed-name.ts',
  'cases/acts-on-people.ts',
  'cases/find.ts',
  'cases/measures.ts',
  'cases/pages/case-page.ts',
  'cases/pages/heard.ts',
  'cases/pages/queue-page.ts',
  'cases/report-objection.ts',
  'cases/resource.ts',
  'cases/spammer.ts',
  'cases/subject.ts',
  'claiming/offers.ts',
  'courses/aside.ts',
  'desk/open-question.ts',
  'feeds/routes.ts',
  'handling/decided-posts.ts',
  'members/queries.ts',
  'mentions/queries.ts',
  'mentions/show.ts',
  'merging/preview.ts',
  'people/queries.ts',
  'people/routes.ts',
  'purging/delete-posts.ts',
  'reading/list.ts',
  'reading/row.ts',
  'search/candidates.ts',
  'webhooks/payload.ts',
  'webhooks/webhook.ts',
]
