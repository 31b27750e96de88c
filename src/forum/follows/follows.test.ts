import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { questionPath } from '../../web/paths.ts'
import { refreshStatistics } from '../search/statistics.ts'
import {
  courseFollowing,
  followingEnd,
  lectureFollowing,
  questionFollowing,
  tagFollowing,
} from './following.ts'

suite('following', () => {
  const forum = sharedForum()
  const aReader = async () => {
    const person = await aPerson(forum.db)
    return { person, browser: await signedIn(forum.app, person) }
  }
  const followersOf = async ({ id }: { id: number }) => {
    const rows = await rowsOf(forum.db, 'question_follows', { question_id: id })
    const inOrder = rows.toSorted((one, other) => one.person_id - other.person_id)
    return inOrder.map(({ person_id, level, instead_of_asking }) => ({ person_id, level, instead_of_asking }))
  }

  test('"this answers mine" follows that question, is counted as a duplicate saved and ends the draft', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const { person, browser: asker } = await aReader()
    const answers = `/questions/${question.id}/answers`
    for (const place of [`/questions?course=${course.slug}`, answers])
      await asker.post('/drafts', { place, title: 'Asked before', body: '', tags: '', version: 0 })

    const answer = await asker.post(`/questions/${question.id}/following?instead=same`, { value: 1 })

    assert.equal(answer.statusCode, 303)
    assert.match((await asker.follow(answer)).body, /One follower/)
    const own = { person_id: question.authorId, level: 'follow', instead_of_asking: false } as const
    const theirs = { ...own, person_id: person.id, instead_of_asking: true }
    assert.deepEqual(await followersOf(question), [own, theirs])
    assert.deepEqual(valuesOf(await rowsOf(db, 'drafts', { person_id: person.id }), 'place'), [answers])
    await act(forum, questionFollowing, { actor: person, key: question.id, input: { value: '0' } })
    assert.deepEqual(await followersOf(question), [own])
  })

  test('a person who asks, answers or replies follows the question, and a mute question stays mute', async () => {
    const { db } = forum
    const [asker, helper, reader] = [await aPerson(db), await aPerson(db), await aReader()]
    const { person: muter, browser } = reader
    const question = await aQuestion(db, { author: asker })
    await act(forum, questionFollowing, { actor: muter, key: question.id, input: { value: 'mute' } })
    const answer = await anAnswer(db, { question, author: helper })
    await aReply(db, { answer, author: muter })
    const levels = (await followersOf(question)).map(({ person_id, level }) => [person_id, level])
    const follow = [asker, helper].map(({ id }) => [id, 'follow'])
    assert.deepEqual(levels, [...follow, [muter.id, 'mute']])
    const page = await browser.get(questionPath(question))
    assert.match(textOf(page.body), /Notifications for this question are off.* Unmute/)
  })

  test('courses, lectures and tags are followed by a button each, and ended one by one or all at once', async () => {
    const course = await aCourse(forum.db, { lectures: ['Verbs', 'Status codes'] })
    const { id, title } = await aQuestion(forum.db, { course, tags: ['http'] })
    const { browser: learner } = await aReader()
    const { slug } = course
    for (const path of [`/courses/${slug}`, `/courses/${slug}/lectures/2`, '/tags/http', `/questions/${id}`])
      assert.equal((await learner.post(`${path}/following`, { value: 1 })).statusCode, 303, path)
    const page = async () => textOf((await learner.get('/following')).body)
    const all = await page()
    for (const name of [course.title, 'Status codes', '#http', title]) assert.ok(all.includes(name), name)
    assert.match((await learner.get('/tags/http')).body, /value="0">[\s\S]*Unfollow/)

    const back = await learner.post('/tags/http/following', { value: 0, back: '/following' })
    assert.equal(back.headers.location, '/following')
    assert.ok(!(await page()).includes('#http'))
    await learner.post('/following', { value: 0 })
    assert.match(await page(), /You aren’t following anything/)
  })

  test('staff follow their courses until they say otherwise', async () => {
    const course = await aCourse(forum.db)
    const actor = await aMember(forum.db, course, 'assistant')
    const staff = await signedIn(forum.app, actor)
    const page = async () => textOf((await staff.get('/following')).body)
    const follow = (value: string) =>
      act(forum, courseFollowing, { actor, key: course.slug, input: { value } })
    assert.match(await page(), new RegExp(course.title))
    await follow('0')
    assert.match(await page(), /You aren’t following anything/)
    await follow('1')
    await act(forum, followingEnd, { actor, key: null, input: { value: '0' } })
    assert.match(await page(), /You aren’t following anything/)
  })

  test('a follow is refused where nothing is there, or something else is sent', async () => {
    const { db } = forum
    const { slug } = await aCourse(db, { lectures: ['Verbs'] })
    const actor = await aPerson(db)
    const lecture = { actor, key: { slug, part: '2' }, input: { value: '1' } }
    assert.equal(await refusalOf(forum, lectureFollowing, lecture), 'notFound')
    const tag = { actor, key: null, input: { value: '1', tag: 'unknown' } }
    assert.equal(await refusalOf(forum, tagFollowing, tag), 'notFound')
    const wrong = ['2', '', 'none'].map((value) => [{ value }, 'value: forms.choice'] as const)
    await refuses(forum, questionFollowing, { actor, key: (await aQuestion(db)).id }, wrong)
    await refuses(forum, followingEnd, { actor, key: null }, [[{ value: '1' }, 'value: forms.choice']])
  })

  test('a preview shows the text and what was asked before, one’s own not as an answer, and posts nothing', async () => {
    const { db } = forum
    const { person: author, browser: own } = await aReader()
    const course = await aCourse(db)
    const unanswered = await aQuestion(db, { course, title: 'Hypermedia links are optional?', author })
    const answered = await aQuestion(db, { course, title: 'Are cookies optional on clients?', answers: 1 })
    await refreshStatistics(db)
    const { browser: other } = await aReader()
    const title = 'Are hypermedia links optional'
    const fields = { course: course.slug, title, body: 'I *wonder*.', tags: '' }
    const address = `/questions/similar?title=${encodeURIComponent(title)}`
    const similarTo = async (browser: typeof own) => (await browser.get(address)).json().similar[0].followPath

    const page = (await own.post('/questions/preview', fields)).body
    assert.match(page, /You asked this/)
    assert.doesNotMatch(page, new RegExp(`/questions/${unanswered.id}/following\\?instead=`))
    assert.equal(await similarTo(own), null)
    const theirs = (await other.post('/questions/preview', fields)).body
    const instead = `/questions/${unanswered.id}/following?instead=same`
    assert.ok(theirs.includes(instead))
    assert.equal(await similarTo(other), instead)
    assert.match(theirs, /<em>wonder<\/em>/)
    assert.match(theirs, /name="title"[^>]*value="Are hypermedia links optional"/)
    const cookies = { ...fields, title: 'Are client cookies optional' }
    const offered = (await other.post('/questions/preview', cookies)).body
    assert.ok(offered.includes(`/questions/${answered.id}/following?instead=1`))
    assert.equal((await rowsOf(db, 'questions', { course_id: course.id })).length, 2)
  })

  test('following a course from its bar leads back to the page that shows it, also beside a refused form', async () => {
    const course = await aCourse(forum.db)
    const question = await aQuestion(forum.db, { course })
    const learner = await signedIn(forum.app, await aMember(forum.db, course))
    const backIn = (body: string) =>
      /class="course-bar"[\s\S]*?name="back" value="([^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
    const list = `/courses/${course.slug}?status=unanswered&sort=votes`
    assert.equal(backIn((await learner.get(list)).body), list)

    const refused = await learner.post(`/questions/${question.id}/answers`, { body: ' ' })
    assert.equal(refused.statusCode, 422)
    assert.equal(backIn(refused.body), `/questions/${question.id}?form=answer#answer`)

    const lost = await learner.post(`/questions/0/answers?course=${course.slug}`, { body: 'Hm.' })
    assert.equal(lost.statusCode, 404)
    assert.match(String(lost.headers['content-type']), /html/)
    assert.match(lost.body, /class="course-bar"/)

    const followed = await learner.post(`/courses/${course.slug}/following`, { value: 1, back: list })
    assert.equal(followed.headers.location, list)
  })
})
