import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dictionary } from '@zxcvbn-ts/language-common'
import { isWeakPassword } from './passwords.ts'

const WORDS = [
  'handup',
  'forum.example.org',
  'Mina Kim',
  'mina.kim@example.org',
  'RESTful Services with Java',
  'Backend',
]

test('the list holds more than the 10,000 commonest passwords, and all of them are weak', () => {
  const common = dictionary['passwords-common']
  assert.ok(common.length > 10_000, `${common.length}`)
  for (const password of common) assert.ok(isWeakPassword(password, []), password)
  assert.ok(common.filter((password) => password.length >= 8).length > 3000)
})

test('a common password stays weak in capitals, wide letters, and with a few characters behind it', () => {
  for (const password of [
    'PASSWORD',
    'ｐａｓｓｗｏｒｄ',
    'Password1!',
    'dragon2024',
    'iloveyou!!!!',
    'Qwertyuiop',
  ]) {
    assert.ok(isWeakPassword(password, []), password)
  }
})

test('rows and repetitions are weak', () => {
  for (const password of [
    'aaaaaaaaaaaaaaaa',
    'abababababab',
    'abcdefghijkl',
    '98765432',
    'ㄱㄱㄱㄱㄱㄱㄱㄱ',
    '🐢🐢🐢🐢🐢🐢🐢🐢',
    'acegikmo',
    '',
  ]) {
    assert.ok(isWeakPassword(password, []), password)
  }
})

test('what everybody can know about the account is weak, alone, together, and with a little added', () => {
  for (const password of [
    'handup-handup',
    'Handup2026',
    'minakim1',
    'mina.kim@example.org',
    'MINA.KIM',
    'java-backend',
    'RESTful Services',
  ]) {
    assert.ok(isWeakPassword(password, WORDS), password)
  }
})

test('long phrases are fine, even with a known word in them', () => {
  for (const password of [
    'mina likes green tea',
    'correct horse battery',
    'handup is for questions',
    'x7#Kq9!vLm',
    '초록 대문 옆 자전거',
    'dragon flies over 7 hills',
  ]) {
    assert.ok(!isWeakPassword(password, WORDS), password)
  }
})

test('short names and empty words forbid nothing', () => {
  assert.ok(!isWeakPassword('x7#Kq9!vLm', ['', 'x', 'Kq9', '김', ' ', '…']))
})
