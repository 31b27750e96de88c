import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { refreshStatistics } from '../search/statistics.ts'

test('"this answers mine" follows that question, is counted as a duplicate saved and ends the draft', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const question = await aQuestion(db, { course })
  const asker = await signedIn(await testApp(t, db), await aPerson(db))
  for (const place of [`/questions?course=${course.slug}`, `/questions/${question.id}/answers`])
    await asker.post('/drafts', { place, title: 'Asked before', body: '', tags: '', version: 0 })

  const answer = await asker.post(`/questions/${question.id}/following?instead=same`, { value: 1 })

  assert.equal(answer.statusCode, 303)
  assert.match((await asker.follow(answer)).body, /One follower/)
  const kept = () =>
    db.selectFrom('question_follows').select('instead_of_asking').where('person_id', '<>', question.authorId)
  assert.deepEqual(await kept().execute(), [{ instead_of_asking: true }])
  const drafts = await db.selectFrom('drafts').select('place').execute()
  assert.deepEqual(drafts, [{ place: `/questions/${question.id}/answers` }])

  await asker.post(`/questions/${question.id}/following`, { value: 0 })
  assert.deepEqual(await kept().execute(), [])
})

test('a person who asks, answers or replies follows the question, and a mute question stays mute', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const [asker, helper, muter] = [await aPerson(db), await aPerson(db), await aPerson(db)]
  const question = await aQuestion(db, { author: asker })
  const muting = await signedIn(app, muter)
  await muting.post(`/questions/${question.id}/following`, { value: 'mute' })
  const answer = await anAnswer(db, { question, author: helper })
  await aReply(db, { answer, author: muter })
  const levels = await db
    .selectFrom('question_follows')
    .select(['person_id', 'level'])
    .orderBy('person_id')
    .execute()
  assert.deepEqual(levels, [
    { person_id: asker.id, level: 'follow' },
    { person_id: helper.id, level: 'follow' },
    { person_id: muter.id, level: 'mute' },
  ])
  const page = await muting.follow(await muting.get(`/questions/${question.id}`))
  assert.match(textOf(page.body), /Notifications for this question are off.* Unmute/)
})

test('courses, lectures and tags are followed by a button each, and ended one by one or all at once', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const course = await aCourse(db, { lectures: ['Verbs', 'Status codes'] })
  const question = await aQuestion(db, { course, tags: ['http'], title: 'Which verb creates something?' })
  const learner = await signedIn(app, await aPerson(db))
  for (const path of [
    `/courses/${course.slug}`,
    `/courses/${course.slug}/lectures/2`,
    '/tags/http',
    `/questions/${question.id}`,
  ]) {
    assert.equal((await learner.post(`${path}/following`, { value: 1 })).statusCode, 303, path)
  }
  const page = async () => (await learner.get('/following')).body
  const all = textOf(await page())
  for (const name of [course.title, 'Status codes', '#http', question.title])
    assert.ok(all.includes(name), name)
  assert.match((await learner.get('/tags/http')).body, /value="0">[\s\S]*Unfollow/)

  const back = await learner.post('/tags/http/following', { value: 0, back: '/following' })
  assert.equal(back.headers.location, '/following')
  assert.ok(!textOf(await page()).includes('#http'))

  await learner.post('/following', { value: 0 })
  assert.match(textOf(await page()), /You aren’t following anything/)
})

test('staff follow their courses until they say otherwise', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const course = await aCourse(db)
  const staff = await signedIn(app, await aMember(db, course, 'assistant'))
  assert.match(textOf((await staff.get('/following')).body), new RegExp(course.title))
  await staff.post(`/courses/${course.slug}/following`, { value: 0 })
  assert.match(textOf((await staff.get('/following')).body), /You aren’t following anything/)
  await staff.post(`/courses/${course.slug}/following`, { value: 1 })
  await staff.post('/following', { value: 0 })
  assert.match(textOf((await staff.get('/following')).body), /You aren’t following anything/)
})

test('a follow is refused where nothing is there, or something else is sent', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const course = await aCourse(db, { isPublic: false, lectures: ['Secret'] })
  const question = await aQuestion(db)
  const outsider = await signedIn(app, await aPerson(db))
  for (const path of [
    `/courses/${course.slug}`,
    `/courses/${course.slug}/lectures/1`,
    '/tags/unknown',
    '/courses/none',
  ])
    assert.equal((await outsider.post(`${path}/following`, { value: 1 })).statusCode, 404, path)
  for (const value of ['2', '', 'none'])
    assert.equal((await outsider.post(`/questions/${question.id}/following`, { value })).statusCode, 422)
  assert.equal((await outsider.post('/following', { value: 1 })).statusCode, 422)
})

test('a similar question of one’s own says so, and is not offered as an answer', async (t) => {
  const db = await testDatabase(t)
  const asker = await aPerson(db)
  const question = await aQuestion(db, { title: 'Hypermedia links are optional?', author: asker })
  await refreshStatistics(db)
  const app = await testApp(t, db)
  const fields = { title: 'Are hypermedia links optional', body: 'Again.', tags: '' }
  const address = `/questions/similar?title=${encodeURIComponent(fields.title)}`
  const own = await signedIn(app, asker)

  const page = (await own.post('/questions/preview', fields)).body
  assert.match(page, /You asked this/)
  assert.doesNotMatch(page, /\?instead=1/)
  assert.equal((await own.get(address)).json().similar[0].followPath, null)

  const other = await signedIn(app, await aPerson(db))
  assert.ok((await other.post('/questions/preview', fields)).body.includes('?instead=same'))
  assert.equal(
    (await other.get(address)).json().similar[0].followPath,
    `/questions/${question.id}/following?instead=same`,
  )
})

test('a preview shows the text, what was asked before, and posts nothing', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { title: 'Hypermedia links are optional?', answers: 1 })
  await refreshStatistics(db)
  const asker = await signedIn(await testApp(t, db), await aPerson(db))

  const page = await asker.post('/questions/preview', {
    title: 'Are hypermedia links optional',
    body: 'I *wonder*.',
    tags: '',
  })

  assert.equal(page.statusCode, 200)
  assert.match(page.body, /<em>wonder<\/em>/)
  assert.match(page.body, new RegExp(`/questions/${question.id}/following\\?instead=1`))
  assert.match(page.body, /name="title"[^>]*value="Are hypermedia links optional"/)
  const { count } = await db
    .selectFrom('questions')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  assert.equal(count, 1)
})

test('following a course from its bar leads back to the page that shows it, also beside a refused form', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const question = await aQuestion(db, { course })
  const learner = await signedIn(await testApp(t, db), await aMember(db, course))
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
