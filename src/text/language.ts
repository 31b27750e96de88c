import { proseText } from './plain.ts'
import { remembered } from './words/remembered.ts'

/** Characters to look at; more of a long post would only cost time. */
const MAX_CHARACTERS = 4_000

/** A Hangul, kana or Han character carries about as much as three Latin letters. */
const CJK_WEIGHT = 3

/** Words that are in almost every English sentence, and rarely in other languages. */
const ENGLISH = new Set([
  ...['the', 'and', 'are', 'is', 'of', 'not', 'have', 'does', 'you', 'your', 'my', 'this', 'that', 'these'],
  ...['how', 'what', 'why', 'when', 'where', 'which', 'there', 'because', 'should', 'would', 'could'],
  ...['with', 'without', 'between', 'from', 'using'],
])

/**
 * Detects the language of a title or a text for its `lang` attribute, which screen readers, line breaking and
 * hyphenation depend on. The first match wins:
 * 1. East Asian script in at least half of the letters (weighted): Hangul → ko, kana → ja, only Han → zh (Japanese
 *   titles without any kana are taken for Chinese);
 * 2. at least one word in ten is a common English one → en;
 * 3. at least a tenth East Asian script, as in "Spring Boot @RequestMapping 질문" → as in 1;
 * 4. null: unknown, the page's language applies.
 * @param text words without code (proseText): code looks like no language and outweighs the words around it
 */
export const languageOf = remembered((text): 'en' | 'ko' | 'ja' | 'zh' | null => {
  const words = text.slice(0, MAX_CHARACTERS).replace(/\b(?:https?:\/\/|www\.)\S+/gi, ' ')
  const share = eastAsianShare(words)
  if (share >= 0.5) return eastAsian(words)
  if (isEnglish(words)) return 'en'
  return share >= 0.1 ? eastAsian(words) : null
})

/** The same; where it can't be told, that of the course, which is most likely. */
export function languageIn(courseLanguage: 'en' | 'ko', text: string): 'en' | 'ko' | 'ja' | 'zh' {
  return languageOf(text) ?? courseLanguage
}

/** The language of a post's HTML: of its words, without code. */
export const languageOfPost = remembered((html) => languageOf(proseText(html)))

function eastAsianShare(words: string): number {
  const eastAsianLetters =
    CJK_WEIGHT * count(words, /[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu)
  const others = count(
    words,
    /(?![\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}])\p{L}/gu,
  )
  return eastAsianLetters === 0 ? 0 : eastAsianLetters / (eastAsianLetters + others)
}

/** Korean with some Han is Korean, and so is Japanese; a single borrowed の does not make Chinese Japanese. */
function eastAsian(words: string): 'ko' | 'ja' | 'zh' {
  const hangul = count(words, /\p{Script=Hangul}/gu)
  const kana = count(words, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu)
  const han = count(words, /\p{Script=Han}/gu)
  if (hangul >= kana && hangul * 10 >= han) return 'ko'
  return kana * 10 >= han ? 'ja' : 'zh'
}

function isEnglish(words: string): boolean {
  const latinWords = words.toLowerCase().match(/[a-z]+/g) ?? []
  return (
    latinWords.length > 0 && latinWords.filter((word) => ENGLISH.has(word)).length * 10 >= latinWords.length
  )
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

/**
 * The `lang` attribute of an element with a text that somebody wrote, as HTML.
 * @param course language of the course that it is of, where the text doesn't tell; left out: as the page's
 */
export function langAttribute(text: string, course?: 'en' | 'ko' | null): string {
  const lang = languageOf(text) ?? course
  return lang ? ` lang="${lang}"` : ''
}
