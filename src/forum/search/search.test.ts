import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { parseQuery } from './query.ts'
import { search } from './search.ts'
import { findSimilar } from './similar/similar.ts'
import { refreshStatistics } from './statistics.ts'

type Db = Awaited<ReturnType<typeof testDatabase>>

async function found(db: Db, text: string): Promise<number[]> {
  const { hits } = await search(db, null, parseQuery(text))
  return hits.map((hit) => hit.id)
}

test('a question is found by title, tag, body, answer, reply, and no longer once it is deleted', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, {
    title: 'About hypermedia',
    body: 'It links nowhere.',
    tags: ['hateoas'],
  })
  const answer = await anAnswer(db, { question, body: 'Use the maturity model.' })
  await aReply(db, { answer, body: 'Grateful for that.' })
  await aQuestion(db, { title: 'Something else', body: 'Entirely.' })
  await refreshStatistics(db)
  for (const word of ['hypermedia', 'hateoas', 'linked', 'maturity', 'grateful', 'hyperm']) {
    assert.deepEqual(await found(db, word), [question.id], word)
  }
  await within(db, deleteQuestion, question.id)
  assert.deepEqual(await found(db, 'hypermedia'), [])
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
  assert.deepEqual(await found(db, 'jackson '), [title.id, tag.id, accepted.id, body.id])
})

test('filters narrow, with words and alone', async (t) => {
  const db = await testDatabase(t)
  const author = await aPerson(db, { displayName: 'Mara Ilić' })
  const one = await aQuestion(db, { title: 'Paging one', tags: ['rest'], answers: 3, author })
  const two = await aQuestion(db, { title: 'Paging two' })
  await refreshStatistics(db)
  assert.deepEqual(await found(db, 'paging tag:rest'), [one.id])
  assert.deepEqual(await found(db, 'is:unanswered'), [two.id])
  assert.deepEqual(await found(db, 'answers:3..'), [one.id])
  assert.deepEqual(await found(db, 'by:"mara ilić"'), [one.id])
  assert.deepEqual(await found(db, 'paging -two'), [one.id])
  assert.deepEqual(await found(db, 'written:..2001'), [])
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

test('what was misspelt is offered as others spell it', async (t) => {
  const db = await testDatabase(t)
  await aQuestion(db, { title: 'Serialization of records' })
  await refreshStatistics(db)
  const page = await visitor(await testApp(t, db)).get('/search?q=serialisazion&spelling=as-typed')
  assert.match(page.body, /Did you mean.*<a class="text-link" href="\/search\?q=serialization">/s)
})

test('an honest empty page offers to ask, and nonsense is no failure', async (t) => {
  const db = await testDatabase(t)
  const reader = visitor(await testApp(t, db))
  for (const query of [
    'quantum',
    '"',
    "'&|!():*<->",
    '((((',
    'x'.repeat(10_000),
    '%00',
    '😀',
    '(a+)+$',
    'tag:',
    'page=0',
  ]) {
    const page = await reader.get(`/search?q=${query === '%00' ? query : encodeURIComponent(query)}`)
    assert.equal(page.statusCode, 200, query.slice(0, 20))
    assert.match(page.body, /\/questions\/new|class="plain-list doors/)
  }
})

test('marked words in hostile text stay text', async (t) => {
  const db = await testDatabase(t)
  await aQuestion(db, {
    title: '<img src=x onerror=alert(1)> mapper',
    body: '`<script>alert(1)</script>` mapper',
  })
  await refreshStatistics(db)
  const page = await visitor(await testApp(t, db)).get('/search?q=mapper')
  assert.match(page.body, /<mark>mapper<\/mark>/)
  assert.doesNotMatch(page.body, /<img|<script>alert/)
})

test('a question like one that is asked comes first among the similar', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const near = await aQuestion(db, {
    course,
    title: 'Location header behind a proxy shows localhost',
    body: 'nginx forwards.',
  })
  await aQuestion(db, { course, title: 'Paging with cursors', body: 'A cursor is a place.' })
  await refreshStatistics(db)
  const similar = await findSimilar(db, null, {
    title: 'Why does Location say localhost behind nginx?',
    body: '',
    tags: [],
    courseId: course.id,
    exceptId: null,
  })
  assert.equal(similar[0]?.id, near.id)
})
