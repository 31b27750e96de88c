import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { refreshStatistics } from './statistics.ts'
import { aCourseOf, idsFound } from './testing.ts'

test('a question is found by title, tag, body, answer, reply, and no longer once it is deleted', async (t) => {
  const db = await testDatabase(t)
  const [title, body] = ['About hypermedia', 'It links nowhere.']
  const question = await aQuestion(db, { title, body, tags: ['hateoas'] })
  const answer = await anAnswer(db, { question, body: 'Use the maturity model.' })
  await aReply(db, { answer, body: 'Grateful for that.' })
  await aQuestion(db, { title: 'Something else', body: 'Entirely.' })
  await refreshStatistics(db)
  for (const word of ['hypermedia', 'hateoas', 'linked', 'maturity', 'grateful', 'hyperm']) {
    assert.deepEqual(await idsFound(db, word), [question.id], word)
  }
  await within(db, deleteQuestion, question.id)
  assert.deepEqual(await idsFound(db, 'hypermedia'), [])
})

test('a title outranks a tag, a tag an accepted answer, that a body', async (t) => {
  const db = await testDatabase(t)
  const body = await aQuestion(db, { title: 'First of four', body: 'It says jackson.' })
  const accepted = await aQuestion(db, { title: 'Second of four', body: 'It says nothing.' })
  const answer = await anAnswer(db, { question: accepted, body: 'It is jackson.' })
  await within(db, setAcceptance, accepted.id, answer.id, true)
  const tag = await aQuestion(db, { title: 'Third of four', body: 'Nothing.', tags: ['jackson'] })
  const title = await aQuestion(db, { title: 'Fourth: jackson', body: 'Nothing.' })
  await refreshStatistics(db)
  assert.deepEqual(await idsFound(db, 'jackson '), [title.id, tag.id, accepted.id, body.id])
})

test('filters narrow, with words and alone', async (t) => {
  const db = await testDatabase(t)
  const author = await aPerson(db, { displayName: 'Mara Ilić' })
  const one = await aQuestion(db, { title: 'Paging one', tags: ['rest'], answers: 3, author })
  const two = await aQuestion(db, { title: 'Paging two' })
  await refreshStatistics(db)
  for (const [query, ids] of [
    ...[
      ['paging tag:rest', [one.id]],
      ['is:unanswered', [two.id]],
      ['answers:3..', [one.id]],
    ],
    ...[
      ['by:"mara ilić"', [one.id]],
      ['paging -two', [one.id]],
      ['written:..2001', []],
    ],
  ] as const)
    assert.deepEqual(await idsFound(db, query), ids, query)
})

test('a private course is found by its members only', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { isPublic: false })
  const member = await aMember(db, course, 'learner')
  const question = await aQuestion(db, { course, title: 'Secret handshake', tags: ['secrets'] })
  await refreshStatistics(db)
  const app = await testApp(t, db)
  const stranger = visitor(app)
  for (const path of [
    '/search?q=handshake',
    '/search/suggestions?q=handshake',
    '/questions/similar?title=Secret+handshake',
    '/search?q=handsheik',
    `/questions/tags?course=${course.slug}&q=secr`,
  ]) {
    assert.doesNotMatch((await stranger.get(path)).body, /Secret handshake|secrets/, path)
  }
  const inside = await signedIn(app, member)
  assert.match((await inside.get(`/questions/tags?course=${course.slug}&q=Secr`)).body, /"text":"secrets"/)
  assert.match((await inside.get('/search?q=handshake')).body, new RegExp(`/questions/${question.id}/`))
})

test('an honest empty page offers to ask, and nonsense is no failure', async (t) => {
  const db = await testDatabase(t)
  const reader = visitor(await testApp(t, db))
  const operators = ['"', "'&|!():*<->", '((((', '(a+)+$', 'tag:', 'page=0']
  for (const query of ['quantum', ...operators, 'x'.repeat(10_000), '%00', '😀']) {
    const page = await reader.get(`/search?q=${query === '%00' ? query : encodeURIComponent(query)}`)
    assert.equal(page.statusCode, 200, query.slice(0, 20))
    assert.match(page.body, /\/questions\/new|class="plain-list doors/)
  }
})

test('marked words in hostile text stay text', async (t) => {
  const body = '`<script>alert(1)</script>` mapper'
  const { db } = await aCourseOf(t, ['<img src=x onerror=alert(1)> mapper'], { body })
  await refreshStatistics(db)
  const page = await visitor(await testApp(t, db)).get('/search?q=mapper')
  assert.match(page.body, /<mark>mapper<\/mark>/)
  assert.doesNotMatch(page.body, /<img|<script>alert/)
})
