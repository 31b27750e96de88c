import { partsOf } from './jamo.ts'

/** The letter that each Latin key types on the Korean two-set keyboard (KS X 5002). */
const KEYS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...'qㅂwㅈeㄷrㄱtㅅyㅛuㅕiㅑoㅐpㅔaㅁsㄴdㅇfㄹgㅎhㅗjㅓkㅏlㅣzㅋxㅌcㅊvㅍbㅠnㅜmㅡQㅃWㅉEㄸRㄲTㅆOㅒPㅖ'.matchAll(
      /(\w)(.)/gu,
    ),
  ].map(([, key = '', letter = '']) => [key, letter]),
)
const LATIN = new Map(Object.entries(KEYS).map(([key, letter]) => [letter, key]))
const VOWELS = 'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ'
const INITIALS = 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'
const FINALS = ' ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ'
/** Letters that are typed as two. */
const TYPED: Readonly<Record<string, string>> = {
  ㅘ: 'ㅗㅏ',
  ㅙ: 'ㅗㅐ',
  ㅚ: 'ㅗㅣ',
  ㅝ: 'ㅜㅓ',
  ㅞ: 'ㅜㅔ',
  ㅟ: 'ㅜㅣ',
  ㅢ: 'ㅡㅣ',
  ㄳ: 'ㄱㅅ',
  ㄵ: 'ㄴㅈ',
  ㄶ: 'ㄴㅎ',
  ㄺ: 'ㄹㄱ',
  ㄻ: 'ㄹㅁ',
  ㄼ: 'ㄹㅂ',
  ㄽ: 'ㄹㅅ',
  ㄾ: 'ㄹㅌ',
  ㄿ: 'ㄹㅍ',
  ㅀ: 'ㄹㅎ',
  ㅄ: 'ㅂㅅ',
}
const JOINED = new Map(Object.entries(TYPED).map(([letter, typed]) => [typed, letter]))

/** A word as the same keys write it in the other layout, Latin or Korean; null: it makes no word there. */
export function inOtherLayout(word: string): string | null {
  if (/^[a-z]+$/i.test(word))
    return composed([...word].map((key) => KEYS[key] ?? KEYS[key.toLowerCase()] ?? key).join(''))
  if (!/^[ㄱ-ㅣ가-힣]+$/u.test(word)) return null
  const letters = [...word].flatMap((letter) => {
    const parts = partsOf(letter)
    return (parts === null ? [letter] : [parts.initial, parts.vowel, parts.final]).flatMap((one) => [
      ...(TYPED[one] ?? one),
    ])
  })
  return letters.map((letter) => LATIN.get(letter) ?? '').join('')
}

/** Letters put together to syllables; null: some are left over, so that nobody meant them. */
function composed(typed: string): string | null {
  const letters = [...typed]
  let text = ''
  for (let at = 0; at < letters.length; ) {
    const initial = INITIALS.indexOf(letters[at] ?? ' ')
    const [vowel, afterVowel] = joinedAt(letters, at + 1, VOWELS)
    if (initial < 0 || vowel < 0) return null
    let [final, next] = joinedAt(letters, afterVowel, FINALS)
    // A consonant before a vowel begins the next syllable.
    if (final > 0 && VOWELS.includes(letters[next] ?? ' ')) {
      next -= 1
      final = next > afterVowel ? FINALS.indexOf(letters[afterVowel] ?? ' ') : 0
    }
    text += String.fromCodePoint(0xac00 + initial * 588 + vowel * 28 + Math.max(final, 0))
    at = final > 0 ? next : afterVowel
  }
  return text
}

/** The longest letter of these that begins here: its index, -1 for none, and where it ends. */
function joinedAt(letters: readonly string[], at: number, among: string): [number, number] {
  const joined = among.indexOf(JOINED.get(`${letters[at] ?? ''}${letters[at + 1] ?? ''}`) ?? '?')
  if (joined >= 0) return [joined, at + 2]
  const single = letters[at] === undefined ? -1 : among.indexOf(letters[at] ?? '?')
  return [single, single >= 0 ? at + 1 : at]
}
