/** The letters of Korean syllables, in the order in which Unicode makes syllables of them. A syllable may have no final one. */
const INITIALS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ']
const VOWELS = [...'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ']
const FINALS = ['', ...'ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ']
const FIRST_SYLLABLE = 0xac00
const PER_VOWEL = FINALS.length
const PER_INITIAL = VOWELS.length * PER_VOWEL
/** Vowels that two others contract to: 싸우어 is written 싸워. */
const CONTRACTED: Readonly<Record<string, string>> = { ㅘ: 'ㅗㅏ', ㅝ: 'ㅜㅓ', ㅕ: 'ㅣㅓ' }

/** A text with its Korean syllables as the letters that they are made of. */
export function lettersOf(text: string): string {
  return text.replace(/[가-힣]/gu, (syllable) => {
    const index = (syllable.codePointAt(0) ?? 0) - FIRST_SYLLABLE
    const vowel = VOWELS[Math.floor((index % PER_INITIAL) / PER_VOWEL)]
    return `${INITIALS[Math.floor(index / PER_INITIAL)]}${vowel}${FINALS[index % PER_VOWEL]}`
  })
}

/** The same with contracted vowels as what they are made of. */
export function jamoOf(text: string): string {
  return lettersOf(text).replace(/[ㅘㅝㅕ]/gu, (vowel) => CONTRACTED[vowel] ?? vowel)
}

/** A word by its sound: spelt out, and ㅐ as ㅔ, which sound alike. */
export function soundOf(word: string): string {
  return jamoOf(word).replaceAll('ㅐ', 'ㅔ')
}

export function syllableOf(initial: string, vowel: string, final: string): string {
  const index = INITIALS.indexOf(initial) * PER_INITIAL + VOWELS.indexOf(vowel) * PER_VOWEL
  return String.fromCodePoint(FIRST_SYLLABLE + index + FINALS.indexOf(final))
}

/** The first and the last syllable that begin with this consonant: syllables of one are a range. */
export function syllablesWith(initial: string): readonly [string, string] {
  const first = FIRST_SYLLABLE + INITIALS.indexOf(initial) * PER_INITIAL
  return [String.fromCodePoint(first), String.fromCodePoint(first + PER_INITIAL - 1)]
}
