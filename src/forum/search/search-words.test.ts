import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { testApp } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { indexStaleQuestions } from './index-question.ts'
import { parseQuery } from './query.ts'
import { search } from './search.ts'
import { corrected, correctionsOf } from './spelling.ts'
import { refreshStatistics } from './statistics.ts'
import { aCourseOf, idsFound, titlesFound } from './testing.ts'

const found = async (db: Database, text: string) =>
  (await idsFound(db, text)).toSorted((one, other) => one - other)

const betterSpelling = async (db: Database, typed: string) =>
  corrected(typed, await correctionsOf(db, null, typed))

test('by: finds what somebody asked or answered, by the beginning of a name, whatever its case and accents', async (t) => {
  const db = await testDatabase(t)
  const mara = await aPerson(db, { displayName: 'Mara Ilić' })
  const kim = await aPerson(db, { displayName: '김하늘' })
  const asked = await aQuestion(db, { author: mara })
  const answered = await aQuestion(db, { author: kim })
  await anAnswer(db, { question: answered, author: mara })
  await aQuestion(db, { author: await aPerson(db, { displayName: 'Tamara Kılıç' }) })
  for (const name of ['mara', 'MARA', '"Mara Ilić"', '"mara ilic"', 'ilic', 'Márá'])
    assert.deepEqual(await found(db, `by:${name}`), [asked.id, answered.id], name)
  const long = await aQuestion(db, { author: await aPerson(db, { displayName: '남궁서진' }) })
  for (const name of ['김', '김하늘', '하늘', '하'])
    assert.deepEqual(await found(db, `by:${name}`), name === '하' ? [] : [answered.id], name)
  for (const name of ['서진', '남궁']) assert.deepEqual(await found(db, `by:${name}`), [long.id], name)
  for (const name of ['늘', '진', '님']) assert.deepEqual(await found(db, `by:${name}`), [], name)
  for (const name of ['ara', 'nobody', '%', '_', '"mara x"'])
    assert.deepEqual(await found(db, `by:${name}`), [], name)
})

test('names of a Spring and a React course are found in both scripts, those of two words and with symbols too', async (t) => {
  const titles = {
    checking: 'When does dirty checking write?',
    change: '변경감지는 언제 일어나나요',
    many: 'N+1 문제를 해결하는 방법',
    lazy: 'Lazy loading fails outside of a session',
    effect: 'useEffect runs twice',
    valid: '@Valid 검증이 안됩니다',
    pointer: 'NullPointerException at startup',
    dirty: 'Dirty data in a table',
  }
  const { db } = await aCourseOf(t, Object.values(titles))
  for (const [typed, names] of [
    ['더티체킹', ['change', 'checking']],
    ['더티 체킹', ['change', 'checking']],
    ['dirty checking ', ['change', 'checking']],
    ['변경 감지', ['change', 'checking']],
    ['엔플러스원', ['many']],
    ['지연 로딩', ['lazy']],
    ['유즈이펙트', ['effect']],
    ['validation', ['valid']],
    ['유효성 검사', ['valid']],
    ['널포인터', ['pointer']],
    ['NPE', ['pointer']],
  ] as const) {
    const first = (await titlesFound(db, typed)).slice(0, names.length)
    assert.deepEqual(first.toSorted(), names.map((name) => titles[name]).toSorted(), typed)
  }
})

test('words are found whatever their case and accents, in Turkish too, and are marked in what was found', async (t) => {
  const db = await testDatabase(t)
  const turkish = await aQuestion(db, { title: 'İSTANBUL saat dilimi yanlış', tags: ['año'] })
  const title = 'Istanbul is in another time zone'
  const plain = await aQuestion(db, { title, body: 'Straße und Café', tags: ['ano'] })
  for (const query of ['istanbul', 'İSTANBUL', 'ISTANBUL', 'ıstanbul', 'ｉｓｔａｎｂｕｌ'])
    assert.deepEqual(await found(db, query), [turkish.id, plain.id], query)
  for (const query of ['yanlis', 'YANLIŞ', 'dilimi yanlış'])
    assert.deepEqual(await found(db, query), [turkish.id], query)
  for (const query of ['strasse', 'STRASSE', 'cafe', 'CAFÉ'])
    assert.deepEqual(await found(db, query), [plain.id], query)
  assert.deepEqual(await found(db, 'tag:año'), [turkish.id])
  assert.deepEqual(await found(db, 'tag:ano'), [plain.id])
  const page = await visitor(await testApp(t, db)).get('/search?q=yanlis+istanbul')
  assert.match(page.body, /<mark>İSTANBUL<\/mark> saat dilimi <mark>yanlış<\/mark>/)
})

test('documents of an older version are made again while the forum runs', async (t) => {
  const db = await testDatabase(t)
  const { id } = await aQuestion(db, { title: 'İSTANBUL' })
  await setRows(db, 'search_documents', {}, { terms: "'i̇stanbul':1A", terms_version: 1 })
  assert.deepEqual(await found(db, 'istanbul'), [])
  await indexStaleQuestions(db)
  assert.deepEqual(await found(db, 'istanbul'), [id])
})

test('a longer word that nobody wrote is also compared with those of texts that its reader may find', async (t) => {
  const body = 'An optimistic locking, and why transactions need authentication.'
  const { db } = await aCourseOf(t, ['About records', 'The transaction of a record'], { body })
  const closed = await aCourse(db, { isPublic: false })
  await aQuestion(db, { course: closed, body: 'It is confidential.' })
  await refreshStatistics(db)
  for (const [typed, meant] of [
    ['optimistc', 'optimistic'],
    ['optimmistic', 'optimistic'],
    ['authentcation', 'authentication'],
    // Both are one slip away, and one is in a title.
    ['transactin', 'transaction'],
    // What a text has is no mistake, short words are not compared, nor are those of a course that one may not read.
    ['records', null],
    ['looking', null],
    ['lokcin', null],
    ['whyy', null],
    ['confidental', null],
  ] as const)
    assert.equal(await betterSpelling(db, typed), meant, typed)
  const member = await aMember(db, closed, 'learner')
  const actor = { id: member.id, isAdmin: false, roles: { [closed.id]: 'learner' as const } }
  assert.deepEqual(await correctionsOf(db, actor, 'confidental'), new Map([['confidental', 'confidential']]))
})

test('a stop word is no mistake', async (t) => {
  const { db } = await aCourseOf(t, ['A DTO and the tables'])
  await refreshStatistics(db)
  for (const typed of ['to be or not', "don't", 'TO', 'the'])
    assert.equal(await betterSpelling(db, typed), null, typed)
  assert.equal(await betterSpelling(db, 'the taables'), 'the tables')
})

test('how many were found is exact below a thousand, also where only filters are asked for', async (t) => {
  const db = await testDatabase(t)
  const author = await aPerson(db, { displayName: 'Mara Ilić' })
  for (const title of ['One json', 'Two json', 'Three json'])
    await aQuestion(db, { title, author, tags: ['rest'] })
  await aQuestion(db, { title: 'Four', answers: 1 })
  await refreshStatistics(db)
  for (const query of ['json', 'by:mara', 'tag:rest', 'is:unanswered', 'is:unanswered json', 'answers:..0']) {
    const { count, isMore } = await search(db, null, parseQuery(query))
    assert.deepEqual({ count, isMore }, { count: 3, isMore: false }, query)
  }
})

test('each misspelt word is replaced by the nearest, the commonest of those equally near, and no other word', async (t) => {
  const db = await testDatabase(t)
  await aQuestion(db, { title: 'Response entity', tags: ['response-entity', 'json'] })
  await aQuestion(db, { title: 'JSON and jackson', tags: ['jackson'] })
  await aQuestion(db, { title: 'A jackson mapper and a napper', tags: ['jackson'] })
  await aQuestion(db, { title: 'Another mapper of 번역기' })
  await refreshStatistics(db)
  for (const [typed, expected] of [
    ['respnse entity', 'response entity'],
    ['jason', 'json'],
    ['josn', 'json'],
    ['Josn tag:josn "josn', 'json tag:josn "json'],
    ['kapper', 'mapper'],
    ['번기역', '번역기'],
    ['json entity', null],
    ['xylophone', null],
    ['by:"Mara Josn"', null],
    ['-josn', null],
  ] as const)
    assert.equal(await betterSpelling(db, typed), expected, typed)
})

test('a filter that does not exist is told, and what only looks like one is not', async (t) => {
  const { db } = await aCourseOf(t, ['Nothing to do with it'])
  const reader = visitor(await testApp(t, db))
  for (const query of ['foo:bar', 'is:open', 'written:yesterday', '-tag:rest', 'foo:"bar baz"', 'by:']) {
    const page = await reader.get(`/search?q=${encodeURIComponent(query)}`)
    assert.equal(textOf(page.body).includes('isn’t a filter'), query !== 'by:', query)
  }
  const others = ['std::vector', 'http://a.test', 'localhost:8080', 'C:\\temp', '12:30']
  for (const query of [...others, 'tag:rest', 'is:resolved'])
    assert.deepEqual(parseQuery(query).unknownFilters, [], query)
})
