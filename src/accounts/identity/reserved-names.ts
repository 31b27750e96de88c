/**
 * Names that a reader would take for someone else: the stand-in of an anonymous post, somebody who left, the staff. Their badge tells
 * staff from a namesake, but a stand-in has none.
 */
const RESERVED = [
  ...['anonymous', 'anonymous user', 'anonym', 'former member', 'deleted user'],
  ...[
    'staff',
    'course staff',
    'the staff',
    'instructor',
    'instructors',
    'course instructor',
    'teaching assistant',
    'assistant',
  ],
  ...['teacher', 'moderator', 'administrator', 'admin', 'support', 'system', 'handup'],
  ...[
    '익명',
    '익명 사용자',
    '익명 회원',
    '탈퇴한 회원',
    '탈퇴 회원',
    '강사',
    '강사진',
    '강사님',
    '운영진',
    '운영자',
    '관리자',
    '조교',
    '선생님',
    '시스템',
  ],
]

/** Letters of other scripts, and digits, that look like these. After NFKC, so full-width and styled letters are these already. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑ4@',
  b: 'ьв',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еє3',
  h: 'һн',
  i: 'іιıl1|!ӏ',
  k: 'кκ',
  m: 'м',
  n: 'ոη',
  o: 'оοօ0',
  p: 'рρ',
  s: 'ѕ5$',
  t: 'тτ',
  u: 'υս',
  v: 'ѵν',
  x: 'хχ',
  y: 'уγ',
}
const LETTER_OF = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, others]) =>
    [...others].map((other) => [other, letter] as const),
  ),
)
const NUMBER_AT_END = /[\s\p{P}\p{S}\p{N}]+$/u

const SHAPES = new Set(RESERVED.map(shapeOf))

/** Whether nobody may take this display name, also with a number after it: "Anonymous 1", "익명1", "ｃｏｕｒｓｅ Ｓtаff". */
export function isReservedName(name: string): boolean {
  const plain = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return SHAPES.has(shapeOf(plain)) || SHAPES.has(shapeOf(plain.replace(NUMBER_AT_END, '')))
}

/** What a name looks like: its letters alone, in lower case, without marks. */
function shapeOf(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return [...letters]
    .map((letter) => LETTER_OF.get(letter) ?? letter)
    .filter((letter) => /\p{L}/u.test(letter))
    .join('')
}
