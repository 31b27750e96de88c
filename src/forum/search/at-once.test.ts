import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../database/connection.ts'
import { testApp } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { testDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { parseQuery } from './query.ts'
import { search } from './search.ts'
import { refreshStatistics, refreshYoungStatistics } from './statistics.ts'
import { aCourseOf, titlesFound } from './testing.ts'

test('similar questions are found on a new forum, and none that share only endings and particles', async (t) => {
  const titles = [
    '토큰이 만료되면 다시 갱신해야 하나요?',
    '한글이 깨져서 물음표로 보입니다',
    '트랜잭션이 롤백되지 않습니다',
  ]
  const { similar } = await aCourseOf(t, titles)
  assert.deepEqual(await similar('토큰 만료 후 갱신'), [titles[0]])
  assert.deepEqual(await similar('한글이 물음표로 깨짐'), [titles[1]])
  for (const title of [
    ...['과제 제출은 어디에서 하나요?', '영상이 끊겨서 나오지 않습니다', '수료증은 언제 받나요'],
    'How do I mock a clock?',
  ])
    assert.deepEqual(await similar(title), [], title)
})

test('questions with all the words come before those with some, and the page says where these begin', async (t) => {
  const db = await testDatabase(t)
  const all = await aQuestion(db, { title: 'Nothing much', body: 'Maybe 자바17 is needed here.' })
  for (const title of ['자바 books/17', '자바 questions', '자바 again'])
    await aQuestion(db, { title: title.replace('자바 books', 'books'), votes: 3 })
  const whole = await aQuestion(db, { title: 'LocalDateTime elsewhere', body: 'An 배열 of numbers.' })
  await aQuestion(db, { title: 'LocalDateTime in a title' })
  await aQuestion(db, { title: '배열 LocalDate' })
  assert.equal((await titlesFound(db, '자바17'))[0], all.title)
  const { hits, looseFrom } = await search(db, null, parseQuery('LocalDateTime 배열'))
  assert.equal(hits[0]?.id, whole.id)
  assert.equal(looseFrom, 1)
  const path = `/search?q=${encodeURIComponent('LocalDateTime 배열')}`
  const text = textOf((await visitor(await testApp(t, db)).get(path)).body)
  assert.ok(text.indexOf('elsewhere') < text.indexOf('These questions contain some of the words.'))
  assert.ok(text.indexOf('These questions contain some') < text.indexOf('LocalDateTime in a title'))
})

test('a phrase may end inside a Korean word', async (t) => {
  const { db } = await aCourseOf(t, ['데이터베이스 연결이 거부됩니다', '거부된 연결이 많아요'])
  assert.deepEqual(await titlesFound(db, '"연결이 거부"'), ['데이터베이스 연결이 거부됩니다'])
})

test('a misspelt word is corrected by its letters, and its results are shown where the typed word has none', async (t) => {
  const { db } = await aCourseOf(t, [
    ...['그레이들 빌드가 느립니다', '트랜잭션 롤백이 됩니다', '롤백을 테스트하기', 'JSON 한글'],
    ...['jackson mapper', '비밀번호를 바꾸기', '웹소켓 컨테이너'],
  ])
  await refreshStatistics(db)
  const reader = visitor(await testApp(t, db))
  const shown = async (query: string) =>
    textOf((await reader.get(`/search?q=${encodeURIComponent(query)}`)).body)
  for (const [typed, meant] of [
    ['그래들', '그레이들'],
    ['롤배', '롤백'],
    ['gksrmf', '한글'],
    ['ㅓㄴㅐㅜ', 'json'],
    ['jakson', 'jackson'],
    // Two vowels that sound alike, and a word whose beginning is right.
    ['트렌젝션', '트랜잭션'],
    ['컨태이너', '컨테이너'],
    ['웹소캣', '웹소켓'],
  ] as const) {
    const text = await shown(typed)
    assert.ok(text.includes(`Showing results for “${meant}”.`), `${typed}: ${text.slice(0, 400)}`)
    assert.ok(text.includes(`Search for “${typed}” instead`), typed)
  }
  // Only some of the words are found, by one that was meant.
  const some = await shown('jakson zyxnowhere')
  assert.match(some, /Showing results for “jackson zyxnowhere”\. Search for “jakson zyxnowhere” instead/)
  assert.match(some, /No question contains all of these words/)
  for (const typed of ['롤백이 안됩니다', '웹소켓은', '비밀번호', '롤백이', 'not jackson', 'jackson'])
    assert.doesNotMatch(await shown(typed), /Showing results for|Did you mean/, typed)
  const asTyped = await reader.get('/search?q=jakson&spelling=as-typed')
  assert.match(asTyped.body, /Did you mean.*<a class="text-link" href="\/search\?q=jackson">/s)
})

test('words that mean the same are found after the word itself', async (t) => {
  const titles = ['빌드 에러가 납니다', 'An error while building', '빌드 오류가 납니다']
  const { db } = await aCourseOf(t, titles)
  const { hits, looseFrom } = await search(db, null, parseQuery('오류'))
  assert.equal(hits[0]?.title, titles[2])
  assert.deepEqual(hits.map(({ title }) => title).toSorted(), titles.toSorted())
  assert.equal(looseFrom, null)
})

test('endings of Korean words alone find nothing', async (t) => {
  const { db } = await aCourseOf(t, ['값이 null로 들어옵니다', '연결이 거부됩니다'])
  assert.deepEqual(await titlesFound(db, '돌려줍니다'), [])
})

test('questions with some of the words may have what means the same', async (t) => {
  const { db } = await aCourseOf(t, ['순환 참조 오류가 발생합니다'])
  const { hits, looseFrom } = await search(db, null, parseQuery('에러 zyxwords'))
  assert.deepEqual([hits.length, looseFrom], [1, 0])
})

test('the words of a young forum are counted soon after each question, those of another one every hour', async (t) => {
  const db = await testDatabase(t)
  const counted = async () => valuesOf(await rowsOf(db, 'search_words', {}), 'word').toSorted()
  await refreshYoungStatistics(db)
  await aQuestion(db, { title: '도커 설치' })
  await refreshYoungStatistics(db)
  assert.deepEqual(await counted(), ['도커', '설치'])
  await setRows(db, 'search_terms', { term: '' }, { documents_count: 1000 })
  await aQuestion(db, { title: '웹소켓' })
  await refreshYoungStatistics(db)
  assert.deepEqual(await counted(), ['도커', '설치'])
})

test('suggestions understand Korean that is being typed', async (t) => {
  const { db } = await aCourseOf(t, ['토큰이 만료됩니다', '한글이 깨집니다', '도커 설치'])
  await refreshStatistics(db)
  const reader = visitor(await testApp(t, db))
  for (const [typed, title] of [
    ['토ㅋ', '토큰이 만료됩니다'],
    ['토', '토큰이 만료됩니다'],
    ['ㅎㄱ', '한글이 깨집니다'],
    ['한', '한글이 깨집니다'],
    ['ㄷㅋ', '도커 설치'],
  ] as const) {
    const { body } = await reader.get(`/search/suggestions?q=${encodeURIComponent(typed)}`)
    assert.ok(body.includes(title), typed)
  }
})

/** Questions as learners ask them, each with words of it, inflected, as others say it, and without its spaces. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  '토큰이 만료되면 다시 갱신해야 하나요?': [
    ...['토큰', '토큰은', '만료', '만료된', '만료되는', '갱신', '갱신을', '갱신은'],
    ...['토큰갱신', '토큰만료', '만료된 토큰 갱신'],
  ],
  '한글이 깨져서 물음표로 보입니다': [
    ...['한글', '한글깨짐', '한글이깨져서', '깨져서', '물음표', '물음표가', '한글 물음표'],
  ],
  '트랜잭션이 롤백되지 않습니다': [
    ...['트랜잭션', '트랜잭션롤백', '롤백', '롤백 안되요', '롤백이', '트랜잭션이 롤백'],
  ],
  'OffsetDateTime becomes an array of numbers': [
    ...['OffsetDateTime array', 'offsetdatetime', 'date time', 'arrays', 'becoming'],
  ],
  'LocalDateTime이 JSON에서 배열로 나옵니다': [
    ...['LocalDateTime', 'localdatetime', 'JSON', '배열', '배열이', 'json 배열', 'LocalDateTime 배열'],
  ],
  '자바17로 올렸더니 빌드가 실패합니다': ['자바17', '자바', '빌드', '빌드실패', '빌드 실패', '실패하는 빌드'],
  '로그인 후 세션이 바로 끊깁니다': ['로그인', '로그인후', '세션', '세션이', '세션 끊김', '로그인세션'],
  'CORS 오류로 요청이 막힙니다': ['cors', '오류', 'CORS 오류', '요청', '에러', 'cors 에러'],
  '비밀번호를 바꿔도 예전 것이 통합니다': ['비밀번호', '비밀번호가'],
}

test('each of 56 searches finds the question asked just now first, in the process it was asked in and in another', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const other = connect(url)
  t.after(() => other.destroy())
  const course = await aCourse(db)
  const queries = Object.values(ASKED).flat()
  assert.equal(queries.length, 56)
  const firstOf = async (one: typeof db, query: string) => (await titlesFound(one, query))[0]
  // Both have looked for the words when they were nowhere.
  for (const one of [db, other])
    for (const query of [...queries, 'ㅌ']) assert.equal(await firstOf(one, query), undefined)
  for (const [title, own] of Object.entries(ASKED)) {
    await aQuestion(db, { course, title, body: 'zyx' })
    for (const one of [db, other])
      for (const query of own) assert.equal(await firstOf(one, query), title, query)
  }
})
