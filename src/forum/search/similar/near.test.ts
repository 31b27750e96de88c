import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCourseOf } from '../testing.ts'
import { worthShowing } from './nearness.ts'

test('none is shown where the nearest is too far, else those at least half as near', () => {
  const near = [0.4, 0.21, 0.19].map((rank) => ({ rank }))
  assert.deepEqual(worthShowing(near, 0.41), [])
  assert.deepEqual(worthShowing(near, 0.3), near.slice(0, 2))
  assert.deepEqual(worthShowing([], 0.3), [])
})

test('a similar question is found by words that mean the same', async (t) => {
  const [password, rollback] = ['비밀번호를 잊었습니다', 'A rollback loses rows']
  const others = ['파일이 저장되지 않습니다', '회원가입이 안 됩니다']
  const { similar } = await aCourseOf(t, [password, ...others, rollback])
  for (const typed of ['패스워드를 잊었어요', '암호 잊어버림'])
    assert.deepEqual(await similar(typed), [password], typed)
  assert.deepEqual(await similar('롤백하면 rows'), [rollback])
})

test('a rare name in both titles, in either script, lifts a question above the floor, whatever the endings', async (t) => {
  const titles = [
    '@Transactional인데 롤백이 안돼요',
    'lombok이 인식이 안됩니다',
    '변경 감지가 동작하지 않습니다',
    'useEffect가 계속 실행됩니다',
    ...['목록의 순서를 바꾸고 싶습니다', '로그 수준을 바꾸려면', '그림이 깨져서 나옵니다'],
  ]
  const { similar } = await aCourseOf(t, titles)
  for (const [typed, found] of [
    ['예외가 발생해도 롤백이 되지 않습니다', titles[0]],
    ['롬복 오류', titles[1]],
    ['더티 체킹이 안 일어나요', titles[2]],
    ['dirty checking 질문', titles[2]],
    ['유즈이펙트 무한 호출', titles[3]],
  ] as const)
    assert.deepEqual((await similar(typed))[0], found, typed)
  assert.deepEqual(await similar('환불하고 싶은데 어디에 문의하나요'), [])
})

test('of Korean titles with the same words, the one with them in the same order comes first', async (t) => {
  const [one, other] = ['상속 구성 관계', '구성 상속 관계']
  const { similar } = await aCourseOf(t, [one, other, one, other])
  assert.deepEqual(await similar('상속과 구성의 관계'), [one, one, other, other])
  assert.deepEqual(await similar('구성과 상속의 관계'), [other, other, one, one])
})
