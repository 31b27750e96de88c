/** Enough to tell a language by; the rest of a long post would only cost time. */
const LOOKED_AT = 4_000

/** A Hangul, kana or Han character says about as much as three Latin letters. */
const WEIGHT = 3

/** Words that hardly any English sentence is without, and hardly any other language has. */
const ENGLISH = new Set([
  ...['the', 'and', 'are', 'is', 'of', 'not', 'have', 'does', 'you', 'your', 'my', 'this', 'that', 'these'],
  ...['how', 'what', 'why', 'when', 'where', 'which', 'there', 'because', 'should', 'would', 'could'],
  ...['with', 'without', 'between', 'from', 'using'],
])

/**
 * Language of a title or a text for its `lang` attribute, so that it is read aloud, broken into lines and
 * hyphenated as what it is. Told by simple counting, in this order:
 * 1. East Asian script in at least half of the letters (weighted): Hangul → ko, kana → ja, only Han → zh
 *    (Japanese titles without any kana are taken for Chinese);
 * 2. one word in ten is a common English one → en;
 * 3. some East Asian script (a tenth), as in "Spring Boot @RequestMapping 질문" → as in 1;
 * 4. null: not told, the page's language stands.
 * @param text words without code (proseText): code looks like no language and outweighs the words around it
 */
export function languageOf(text: string): 'en' | 'ko' | 'ja' | 'zh' | null {
  const words = text.slice(0, LOOKED_AT).replace(/\b(?:https?:\/\/|www\.)\S+/gi, ' ')
  const share = eastAsianShare(words)
  if (share >= 0.5) return eastAsian(words)
  if (isEnglish(words)) return 'en'
  return share >= 0.1 ? eastAsian(words) : null
}

function eastAsianShare(words: string): number {
  const eastAsianLetters =
    WEIGHT * count(words, /[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu)
  const others = count(
    words,
    /(?![\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}])\p{L}/gu,
  )
  return eastAsianLetters === 0 ? 0 : eastAsianLetters / (eastAsianLetters + others)
}

/**
 * Korean with Han in it is Korean, and so is Japanese; a single borrowed の does not make Chinese Japanese.
 */
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
