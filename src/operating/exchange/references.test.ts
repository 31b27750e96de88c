import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportedText } from './references.ts'
import { typedNames } from './typed-names.ts'

const NAMELESS = {
  ...{ idOf: () => null, nameOf: () => null, isPseudonymous: true, isCopy: false },
  hidden: typedNames(['Mina Ha', '김민수']),
}

test('a pseudonymous text has no address of the forum, wherever it is written', () => {
  for (const text of [
    '[x](/people/12/mina)',
    '[x]( /people/12/mina)',
    '[x](\n</uploads/kept-1x1>)',
    '[x][y]\n\n[y]:\n/people/12/mina',
    '[x][y]\n\n[y]:      https://forum.example/questions/12',
  ])
    assert.doesNotMatch(exportedText(text, 'https://forum.example', NAMELESS), /12|mina|kept/, text)
})

const TYPED: readonly [text: string, pseudonymous: string, copied: string][] = [
  ['Thanks @Mina Ha, and @MinaHa!', 'Thanks @someone, and @someone!', 'Thanks @someone, and @someone!'],
  ['@Mina has it; \\@mina.', '@someone has it; @someone.', '@someone has it; @someone.'],
  ['@김민수님 감사합니다', '@someone 감사합니다', '@someone 감사합니다'],
  ['@user12 knows', '@someone knows', '@user12 knows'],
  ['m@mina.example, `@Mina`, @staff', 'm@mina.example, `@Mina`, @staff', 'm@mina.example, `@Mina`, @staff'],
]

test('names that are typed as mentions are no names in a pseudonymous text, nor in a copy without learners’ names', () => {
  for (const [text, pseudonymous, copied] of TYPED) {
    const copying = { ...NAMELESS, isPseudonymous: false, isCopy: true }
    assert.equal(exportedText(text, 'https://forum.example', NAMELESS), pseudonymous)
    assert.equal(exportedText(text, 'https://forum.example', copying), copied)
  }
})
