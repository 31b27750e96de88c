import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dictionary } from '@zxcvbn-ts/language-common'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse } from '../../testing/builders.ts'
import { valueIn } from '../../testing/page.ts'
import { aForum, mailToken } from '../testing.ts'
import { isWeakPassword, refuseWeak } from './passwords.ts'

const COURSE = ['RESTful Services with Java', 'Backend']
const WORDS = ['handup', 'forum.example.org', 'Mina Kim', 'mina.kim@example.org', ...COURSE]

test('the list holds more than the 10,000 commonest passwords, and all of them are weak', () => {
  const common = dictionary['passwords-common']
  assert.ok(common.length > 10_000, `${common.length}`)
  for (const password of common) assert.ok(isWeakPassword(password, []), password)
  assert.ok(common.filter((password) => password.length >= 8).length > 3000)
})

const WEAK: readonly [what: string, known: readonly string[], passwords: readonly string[]][] = [
  [
    'a common password in capitals, in wide letters, or with a few characters behind it',
    [],
    ['PASSWORD', 'ｐａｓｓｗｏｒｄ', 'Password1!', 'dragon2024', 'iloveyou!!!!', 'Qwertyuiop'],
  ],
  [
    'a row or a repetition',
    [],
    [
      'aaaaaaaaaaaaaaaa',
      'abababababab',
      'abcdefghijkl',
      '98765432',
      'acegikmo',
      '',
      'ㄱㄱㄱㄱㄱㄱㄱㄱ',
      '🐢🐢🐢🐢🐢🐢🐢🐢',
    ],
  ],
  [
    'what everybody can know about the account, alone, together, and with a little added',
    WORDS,
    [
      'handup-handup',
      'Handup2026',
      'minakim1',
      'mina.kim@example.org',
      'MINA.KIM',
      'java-backend',
      'RESTful Services',
    ],
  ],
]
for (const [what, known, passwords] of WEAK)
  test(`${what} is weak`, () => {
    for (const password of passwords) assert.ok(isWeakPassword(password, known), password)
  })

test('long phrases are fine, even with a known word in them', () => {
  for (const password of [
    ...['mina likes green tea', 'correct horse battery', 'handup is for questions', 'x7#Kq9!vLm'],
    ...['초록 대문 옆 자전거', 'dragon flies over 7 hills'],
  ])
    assert.ok(!isWeakPassword(password, WORDS), password)
})

test('short names and empty words forbid nothing', () => {
  assert.ok(!isWeakPassword('x7#Kq9!vLm', ['', 'x', 'Kq9', '김', ' ', '…']))
})

test('what everybody can know are the names of the forum and its courses, and the person’s name and address', async (t) => {
  const { app, db } = await aForum(t)
  await aCourse(db, { title: 'RESTful Services' })
  await aCourse(db, { title: 'Secret dragons', isPublic: false })
  const mina = { displayName: 'Mina Kim', email: 'mina@example.org' }
  for (const password of ['minakim2026', 'mina@example.org', 'Handup!!', 'restful-services'])
    await assert.rejects(refuseWeak(app, password, mina), { message: 'password: accounts.password.weak' })
  await refuseWeak(app, 'Secret dragons', mina)
})

test('each form of a new password refuses one that is easy to guess, and keeps its link', async (t) => {
  const { app, db, person } = await aForum(t)
  const token = await mailToken(db, person, 'new-password')
  const typed = { token, display_name: 'Mina', email: 'mina-kim@example.org' }
  const forms = {
    '/sign-up': visitor(app),
    '/new-password': visitor(app),
    '/settings/password': await signedIn(app, person, ['link']),
  }
  for (const [path, browser] of Object.entries(forms))
    for (const password of ['short', 'password1', path === '/sign-up' ? typed.email : person.email]) {
      const { statusCode, body } = await browser.post(path, { ...typed, password })
      assert.equal(statusCode, 422, `${path} ${password}`)
      assert.match(body, /href="#password"/)
      if (path === '/new-password') assert.equal(valueIn(body, 'token'), token)
    }
})
