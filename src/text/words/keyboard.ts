import { lettersOf, syllableOf } from './jamo.ts'

/** Each Latin key and the letter that it types on the Korean two-set keyboard (KS X 5002). */
const KEYS =
  'qㅂwㅈeㄷrㄱtㅅyㅛuㅕiㅑoㅐpㅔaㅁsㄴdㅇfㄹgㅎhㅗjㅓkㅏlㅣzㅋxㅌcㅊvㅍbㅠnㅜmㅡQㅃWㅉEㄸRㄲTㅆOㅒPㅖ'
/** Letters that are typed as two: each is followed by those. */
const DOUBLE =
  'ㅘㅗㅏㅙㅗㅐㅚㅗㅣㅝㅜㅓㅞㅜㅔㅟㅜㅣㅢㅡㅣㄳㄱㅅㄵㄴㅈㄶㄴㅎㄺㄹㄱㄻㄹㅁㄼㄹㅂㄽㄹㅅㄾㄹㅌㄿㄹㅍㅀㄹㅎㅄㅂㅅ'

const pairsIn = (text: string, pair: RegExp) =>
  Array.from(text.matchAll(pair), ([, one = '', other = '']) => [one, other] as const)
const LETTERS = new Map(pairsIn(KEYS, /(\w)(.)/gu))
const LATIN = new Map(pairsIn(KEYS, /(\w)(.)/gu).map(([key, letter]) => [letter, key]))
const TYPED = new Map(pairsIn(DOUBLE, /(.)(..)/gu))
const JOINED = new Map(pairsIn(DOUBLE, /(.)(..)/gu).map(([letter, typed]) => [typed, letter]))

const TWO_VOWELS = /ㅗ[ㅏㅐㅣ]|ㅜ[ㅓㅔㅣ]|ㅡㅣ/gu
/** A consonant before a vowel begins the next syllable. */
const SYLLABLE =
  /([ㄱ-ㅎ])([ㅏ-ㅣ])((?:ㄱㅅ|ㄴ[ㅈㅎ]|ㄹ[ㄱㅁㅂㅅㅌㅍㅎ]|ㅂㅅ|[ㄱ-ㄷㄹㅁㅂㅅ-ㅈㅊ-ㅎ])(?![ㅏ-ㅣ]))?/gu

/** A word as the same keys write it in the other layout, Latin or Korean; null: it makes no word there. */
export function inOtherLayout(word: string): string | null {
  if (/^[a-z]+$/i.test(word)) return composed(word)
  if (!/^[ㄱ-ㅣ가-힣]+$/u.test(word)) return null
  const typed = [...lettersOf(word)].map((letter) => TYPED.get(letter) ?? letter).join('')
  return [...typed].map((letter) => LATIN.get(letter) ?? '').join('')
}

/** Keys as syllables; null: some letters are left over, so that nobody meant them. */
function composed(keys: string): string | null {
  const typed = [...keys].map((key) => LETTERS.get(key) ?? LETTERS.get(key.toLowerCase()) ?? key)
  const letters = typed.join('').replace(TWO_VOWELS, (two) => JOINED.get(two) ?? two)
  const word = letters.replace(SYLLABLE, (_, initial: string, vowel: string, final = '') =>
    syllableOf(initial, vowel, JOINED.get(final) ?? final),
  )
  return /^[가-힣]+$/u.test(word) ? word : null
}
