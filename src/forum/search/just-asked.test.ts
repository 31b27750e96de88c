import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../database/connection.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { titlesFound } from './testing.ts'

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
