/**
 * How alike two texts must be written to count as one:
 * - `same`: a tag, a slug. Case, with the Turkish İ and ı, and full width don't count; accents do: `año` is not `ano`.
 * - `find`: what people search for, also without the accents of Latin, Greek and Cyrillic letters, as name_words in the database does, but for ß.
 * - `compare`: what looks alike: letters alone, and those of other scripts, digits and signs as the Latin letter they look like.
 */
export type Strength = 'same' | 'find' | 'compare'

const ASCII = /^[ -~]*$/
/** Forms of other width; in a row, as a Japanese sound mark joins the letter before it. */
const OTHER_WIDTH = /[\u3000\uFF01-\uFFEF]+/g
/** İ in small letters, and ı, whose capital is I. */
const TURKISH = /[iı]\u0307+|ı/g
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}][\u0300-\u036F]*)[\u0300-\u036F]+/gu
/** Letters that Unicode does not take apart. */
const BARRED: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe' }
const IS_BARRED = /[łøđßæœ]/g

/** Letters of other scripts, digits and signs that look like these. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑ4@',
  b: 'ьв',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еє3',
  h: 'һн',
  i: 'іιl1|!ӏ',
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

/** A text as it is compared, in NFC. Folding what is folded changes nothing. */
export function fold(text: string, strength: Strength): string {
  if (strength === 'compare') return lookOf(text)
  if (ASCII.test(text)) return text.toLowerCase()
  const same = text
    .replace(OTHER_WIDTH, (wide) => wide.normalize('NFKC'))
    .toLowerCase()
    .normalize('NFC')
    .replace(TURKISH, 'i')
    .normalize('NFC')
  return strength === 'same' ? same : withoutAccents(same)
}

function withoutAccents(same: string): string {
  return same
    .normalize('NFD')
    .replace(ACCENTS, '')
    .replace(IS_BARRED, (letter) => BARRED[letter] ?? letter)
    .normalize('NFC')
}

function lookOf(text: string): string {
  return [...fold(text.normalize('NFKC'), 'find').normalize('NFD')]
    .map((letter) => LETTER_OF.get(letter) ?? letter)
    .filter((letter) => /\p{L}/u.test(letter))
    .join('')
    .normalize('NFC')
}
