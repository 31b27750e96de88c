import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { occurrencesOf, SearchableText, standingWords } from '../../text/words/occurrences.ts'
import { refreshStatistics } from './statistics.ts'
import { titlesFound } from './testing.ts'

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
