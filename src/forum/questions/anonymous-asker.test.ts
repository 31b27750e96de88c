import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { recount } from '../../database/recount.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { questionPath } from '../../web/paths.ts'

const NAME = 'Zyxmina'
const DOWNLOAD = '/settings/account/data'

test('an anonymous asker edits, deletes, takes their data along and leaves, and nothing tells classmates the name', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const course = await aCourse(db)
  await db.updateTable('courses').set({ allows_anonymous: true }).where('id', '=', course.id).execute()
  const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: NAME }))
  // By a link, as leaving asks for a sign-in that the person did.
  const mina = visitor(app)
  const link = new URL(await makeSignInLink(db, asker.id, app.config.baseUrl))
  await mina.post('/sign-in/link', { token: link.searchParams.get('token') ?? '' })
  const classmate = await signedIn(app, await aMember(db, course))
  const staff = await signedIn(app, await aMember(db, course, 'assistant'))
  const question = await aQuestion(db, { course, author: asker, isAnonymous: true, title: 'Who dares' })
  const answer = await anAnswer(db, { question })
  const reply = await aReply(db, { answer, author: asker, isAnonymous: true })
  const path = questionPath(question)
  for (const kind of ['questions', 'answers'] as const)
    await classmate.post(`/${kind}/${kind === 'questions' ? question.id : answer.id}/votes`, { value: 1 })
  await classmate.post(`/answers/${answer.id}/replies`, { body: 'And now?' })
  await classmate.post(`/questions/${question.id}/following`, { value: 1 })

  const pages = [
    path,
    `/courses/${course.slug}`,
    `/questions/${question.id}/feed.atom`,
    '/feed.atom',
    `/search?q=${NAME.toLowerCase()}`,
  ]
  const own = [DOWNLOAD, '/notifications', '/following', `/questions/${question.id}/history`]
  const foundBy = async (reader: Browser, addresses: readonly string[]) => {
    const found: string[] = []
    for (const address of addresses) if ((await reader.get(address)).body.includes(NAME)) found.push(address)
    return found
  }
  const assertHidden = async (when: string) => {
    assert.deepEqual(await foundBy(visitor(app), pages), [], `visitors, ${when}`)
    assert.deepEqual(await foundBy(classmate, [...pages, ...own]), [], `classmates, ${when}`)
  }

  await assertHidden('at first')
  const content = { title: 'Who dares', body: 'More of it.', tags: '', version: '1' }
  assert.equal((await mina.post(`/questions/${question.id}/edit`, content)).statusCode, 303)
  await assertHidden('after an edit')
  for (const act of ['delete', 'restoration']) {
    assert.equal((await mina.post(`/replies/${reply.id}/${act}`)).statusCode, 303)
    assert.equal((await mina.post(`/questions/${question.id}/${act}`)).statusCode, 303)
    await assertHidden(`after ${act}`)
  }
  const { body: data } = await mina.get(DOWNLOAD)
  assert.ok(data.includes('Who dares') && data.includes('More of it.'), 'their own data has the question')
  assert.deepEqual(await foundBy(staff, [path]), [path], 'staff see the name')

  assert.equal((await mina.post(`/courses/${course.slug}/leaving`)).statusCode, 303)
  await assertHidden('after leaving the course')
  const gone = await mina.post('/settings/account/delete', { posts: 'keep', display_name: NAME })
  assert.equal(gone.headers.location, '/', gone.body)
  await assertHidden('after leaving the forum')
  assert.deepEqual(await foundBy(staff, [path]), [], 'nor staff any more')
  const { body } = await classmate.get(path)
  assert.match(body, /Anonymous 1/)
  assert.doesNotMatch(body, /Former member/, 'that somebody left tells who it was')
  assert.deepEqual(await recount(db), [])
})
