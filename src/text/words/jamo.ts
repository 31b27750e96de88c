const FIRST = 0xac00
const LAST = 0xd7a3
const PER_INITIAL = 588
const PER_VOWEL = 28
const INITIALS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ']
const VOWELS = [...'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ']
const FINALS = ['', ...'ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ']
/** Vowels that two others contract to: 싸우어 is written 싸워. */
const CONTRACTED: Readonly<Record<string, string>> = { ㅘ: 'ㅗㅏ', ㅝ: 'ㅜㅓ', ㅕ: 'ㅣㅓ' }

/** A text with its Korean syllables spelt out in compatibility letters, contracted vowels as what they are made of. */
export function jamoOf(text: string): string {
  let spelt = ''
  for (const letter of text) {
    const parts = partsOf(letter)
    spelt +=
      parts === null ? letter : `${parts.initial}${CONTRACTED[parts.vowel] ?? parts.vowel}${parts.final}`
  }
  return spelt
}

/** A word by its sound: spelt out, and ㅐ as ㅔ, which sound alike. */
export function soundOf(word: string): string {
  return jamoOf(word).replaceAll('ㅐ', 'ㅔ')
}

/** The letters of a Korean syllable; null: it is none. */
export function partsOf(letter: string): { initial: string; vowel: string; final: string } | null {
  const code = letter.codePointAt(0) ?? 0
  if (code < FIRST || code > LAST) return null
  const index = code - FIRST
  return {
    initial: INITIALS[Math.floor(index / PER_INITIAL)] ?? '',
    vowel: VOWELS[Math.floor((index % PER_INITIAL) / PER_VOWEL)] ?? '',
    final: FINALS[index % PER_VOWEL] ?? '',
  }
}
