import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { PASSWORD } from '../../accounts/testing.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { caseOf, decided, measuresOf, reported } from './testing.ts'

/** Mistakes that other forums made in moderating. */
suite('what went wrong elsewhere', () => {
  const forum = sharedForum()

  async function aScene({ isAnonymous = false } = {}) {
    const { app, db } = forum
    const course = await aCourse(db)
    const instructor = await aMember(db, course, 'instructor')
    const author = await aPerson(db, {
      displayName: 'Zyxauthor',
      passwordHash: await hashPassword(PASSWORD),
    })
    await aMember(db, course, 'learner', author)
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question, author, body: 'Zyxtext', isAnonymous })
    const subject = { about: 'answer', id: answer.id } as const
    const by = { instructor: await signedIn(app, instructor), author: await signedIn(app, author) }
    return { app, db, course, instructor, author, question, answer, subject, by }
  }

  test('a warning is no suspension', async () => {
    const { db, subject, instructor, question, by } = await aScene()
    await reported(db, subject, null)
    await decided(db, instructor.id, await caseOf(db, subject), ['warn'])
    assert.equal(
      (await by.author.post(`/questions/${question.id}/answers`, { body: 'Fine.' })).statusCode,
      303,
    )
    const standing = await by.author.get('/settings/standing')
    assert.match(standing.body, /Warned/)
    assert.doesNotMatch(standing.body, /Suspended/)
  })

  test('no one else’s staff reach a case, its measures or its queue by their numbers', async () => {
    const { app, db, course, subject, instructor } = await aScene()
    await reported(db, subject, null)
    const { id, version } = await caseOf(db, subject)
    const elsewhere = await signedIn(app, await aMember(db, await aCourse(db), 'instructor'))
    assert.equal((await elsewhere.get(`/cases/${id}`)).statusCode, 404)
    assert.equal((await elsewhere.get(`/courses/${course.slug}/moderation`)).statusCode, 403)
    const decline = { decision: 'decline', version }
    assert.equal((await elsewhere.post(`/cases/${id}/decision`, decline)).statusCode, 404)
    assert.equal((await elsewhere.post(`/cases/${id}/handover`, { to: 'admins' })).statusCode, 404)
    await decided(db, instructor.id, { id, version }, ['hide'])
    const [measure] = await measuresOf(db, id)
    assert.equal((await elsewhere.post(`/measures/${measure?.id}/end`, {})).statusCode, 404)
    assert.equal((await measuresOf(db, id))[0]?.ended_at, null)
  })

  test('who was never suspended isn’t told that they are no longer', async () => {
    const { db, course, author, by } = await aScene()
    const end = `/people/${author.id}/suspension/end`
    assert.equal((await by.instructor.post(end, { course: course.slug })).statusCode, 303)
    const told = await db
      .selectFrom('notifications')
      .select('id')
      .where('person_id', '=', author.id)
      .execute()
    const letters = await db.selectFrom('jobs').select('key').where('key', 'like', 'ended-%').execute()
    const cases = await db.selectFrom('cases').select('id').where('person_id', '=', author.id).execute()
    assert.deepEqual([told, letters, cases], [[], [], []])
  })

  test('the text stays with the case when its author deletes the account and all posts', async () => {
    const { app, db, subject, by } = await aScene()
    await reported(db, subject, null)
    const { id } = await caseOf(db, subject)
    const left = await by.author.post('/settings/account/delete', {
      posts: 'delete',
      current_password: PASSWORD,
    })
    assert.equal(left.headers.location, '/')
    const page = await by.instructor.get(`/cases/${id}`)
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /Zyxtext/)
    assert.doesNotMatch(page.body, /Zyxauthor/)
    assert.equal((await visitor(app).get(`/answers/${subject.id}/reports`)).statusCode, 410)
  })

  test('reporting someone anonymous tells no name, nor does what they see of it', async () => {
    const { app, db, course, subject, question, by } = await aScene({ isAnonymous: true })
    const classmate = await signedIn(app, await aMember(db, course))
    for (const reader of [classmate, visitor(app)]) {
      assert.doesNotMatch((await reader.get(`/answers/${subject.id}/reports`)).body, /Zyxauthor/)
      const sent = await reader.post(`/answers/${subject.id}/reports`, { reason: 'rude' })
      assert.equal(sent.statusCode, 303)
      assert.doesNotMatch((await reader.follow(sent)).body, /Zyxauthor/)
    }
    assert.doesNotMatch((await classmate.get('/notifications')).body, /Zyxauthor/)
    const { id, version } = await caseOf(db, subject)
    const decision = { decision: 'uphold', version, measure: 'warn' }
    assert.equal((await by.instructor.post(`/cases/${id}/decision`, decision)).statusCode, 303)
    assert.doesNotMatch((await classmate.get('/notifications')).body, /Zyxauthor/)
    const thread = await classmate.follow(await classmate.get(`/questions/${question.id}`))
    assert.match(thread.body, /Zyxtext/)
    assert.doesNotMatch(thread.body, /Zyxauthor/)
  })
})
