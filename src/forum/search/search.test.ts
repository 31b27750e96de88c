import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, testAppThatHears } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { occurrencesOf, SearchableText, standingWords } from '../../text/words/occurrences.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { refreshStatistics } from './statistics.ts'
import { aCourseOf, idsFound, titlesFound } from './testing.ts'

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

test('an identifier is found whole, with its signs, before its parts', async (t) => {
  const db = await testDatabase(t)
  const parts = await aQuestion(db, { title: 'Is the void empty?', body: 'A response and an entity.' })
  const whole = await aQuestion(db, { title: 'What answers?', body: 'A `ResponseEntity<Void>` does.' })
  await refreshStatistics(db)
  assert.deepEqual(await idsFound(db, 'ResponseEntity<Void>'), [whole.id, parts.id])
})

test('filters narrow, with words and alone', async (t) => {
  const db = await testDatabase(t)
  const author = await aPerson(db, { displayName: 'Mara Ilić' })
  const one = await aQuestion(db, { title: 'Paging one', tags: ['rest'], answers: 3, author })
  const two = await aQuestion(db, { title: 'Paging two' })
  await refreshStatistics(db)
  for (const [query, ids] of [
    ...['paging tag:rest', 'answers:3..', 'by:"mara ilić"', 'paging -two'].map(
      (it) => [it, [one.id]] as const,
    ),
    ['is:unanswered', [two.id]] as const,
    ['written:..2001', []] as const,
  ])
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

test('a found question is shown as it is, however often it was found before', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { title: 'A mapper', body: 'It maps nothing.' })
  const { app, changes } = await testAppThatHears(t, db)
  const found = async () => {
    await changes.caughtUp()
    return textOf((await visitor(app).get('/search?q=mapper')).body)
  }
  assert.match(await found(), /A mapper/)
  await anAnswer(db, { question, body: 'The object mapper is not configured.' })
  assert.match(await found(), /1 answer/)
  await setRows(db, 'questions', question.id, { title: 'Another mapper' })
  assert.match(await found(), /Another mapper/)
  await setRows(db, 'people', question.authorId, { display_name: 'Renamed Person' })
  assert.match(await found(), /Renamed Person/)
})

/** A forum with these titles, each with its body, and the titles that a search finds. */
async function forumOf(t: Parameters<typeof testDatabase>[0], questions: Readonly<Record<string, string>>) {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  for (const [title, body] of Object.entries(questions)) await aQuestion(db, { course, title, body })
  await refreshStatistics(db)
  const found = (text: string) => titlesFound(db, text)
  return { db, found }
}

test('where no question has all the words, the one with most of them comes first, wherever they stand', async (t) => {
  const { found } = await forumOf(t, {
    'N+1 문제': '목록을 열면 쿼리가 백 번 나가요.',
    '배열로 나가요': '날짜 이야기입니다.',
    'A slow cache': 'The mapper reads records one by one.',
    'Cache headers': 'Nothing else.',
  })
  assert.deepEqual(await found('쿼리가 엄청 나가요'), ['N+1 문제', '배열로 나가요'])
  assert.deepEqual(await found('cache mapper unheard'), ['A slow cache', 'Cache headers'])
})

test('a Korean word counts there only where its syllables stand together', async (t) => {
  const { found } = await forumOf(t, {
    '로딩 화면': '처음에 보입니다.',
    '그레이들 커서 페이지': '느립니다.',
  })
  assert.deepEqual(await found('레이지 로딩 엄청'), ['로딩 화면'])
})

test('a misspelt word counts there as the one that was meant', async (t) => {
  const { db, found } = await forumOf(t, {
    '그레이들 빌드': '십 분이 걸립니다.',
    '다른 이야기': '아무것도 아닙니다.',
  })
  assert.deepEqual(await found('그래들 속도'), ['그레이들 빌드'])
  const page = await visitor(await testApp(t, db)).get(`/search?q=${encodeURIComponent('그래들 속도')}`)
  assert.match(page.body, /<mark>그레이들<\/mark> 빌드/)
})

test('where some words are missing only whole words are marked', () => {
  const ways = [[['레이', '이지']], [['로딩']], [['응답'], ['본문']]]
  const find = standingWords(occurrencesOf(new Set(ways.flat(2))), ways)
  const marked = (text: string) =>
    [...find(new SearchableText(text))].map(({ start, end }) => text.slice(start, end))
  assert.deepEqual(marked('그레이들 페이지 로딩, 레이지로딩'), ['로딩', '레이지로딩'])
  assert.deepEqual(marked('응답의 본문과 다른 응답'), ['응답', '본문'])
})
