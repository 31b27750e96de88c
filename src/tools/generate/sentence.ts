import type { Random } from './random.ts'
import type { Draw, Kind, Vocabulary, Word } from './words.ts'

/** The subject of a thread: a few words of each kind, which recur in it. */
export type Topic = ReadonlyMap<Kind, readonly Word[]>

/** Literal text, or a gap with the suffixes of its word: `['을', '를']`. */
type Part = string | { readonly kind: Kind; readonly particles: readonly [string, string] | null }

export type Template = readonly Part[]

const TOPIC_SIZES: Readonly<Record<Kind, number>> = {
  noun: 7,
  nouns: 4,
  verb: 4,
  code: 4,
  tool: 2,
  error: 1,
  path: 2,
  name: 1,
}
/** Probability that a word is one of the thread's own. */
const ON_TOPIC_SHARE = 0.55

export function parseTemplate(text: string): Template {
  return text
    .split(/(\{[^}]+\})/)
    .filter((part) => part !== '')
    .map((part): Part => {
      const gap = /^\{(\w+)(?::(.+)\/(.+))?\}$/.exec(part)
      if (gap === null) return part
      const [, kind = '', consonant, vowel] = gap
      return { kind, particles: consonant === undefined || vowel === undefined ? null : [consonant, vowel] }
    })
}

export function makeTopic(vocabulary: Vocabulary, random: Random): Topic {
  return new Map(
    Object.entries(TOPIC_SIZES).flatMap(([kind, count]): [Kind, Word[]][] => {
      const draw = vocabulary.get(kind)
      return draw === undefined ? [] : [[kind, Array.from({ length: count }, () => draw(random))]]
    }),
  )
}

/** Fills the gaps of a template. */
export function makeSentence(template: Template, vocabulary: Vocabulary, topic: Topic, random: Random): Word {
  let markdown = ''
  let html = ''
  for (const part of template) {
    if (typeof part === 'string') {
      markdown += part
      html += part
      continue
    }
    const word = wordFor(part.kind, vocabulary, topic, random)
    const particle = part.particles === null ? '' : particleFor(word, part.particles)
    markdown += word.markdown + particle
    html += word.html + particle
  }
  return { markdown, html }
}

function wordFor(kind: Kind, vocabulary: Vocabulary, topic: Topic, random: Random): Word {
  const own = topic.get(kind)
  if (own !== undefined && random.chance(ON_TOPIC_SHARE)) return random.pick(own)
  const draw: Draw | undefined = vocabulary.get(kind)
  if (draw === undefined) throw new Error(`no words of kind ${kind}`)
  return draw(random)
}

/**
 * The code of a Hangul syllable tells whether it ends with a consonant; other scripts are treated as ending with a
 * vowel.
 */
function particleFor(word: Word, [afterConsonant, afterVowel]: readonly [string, string]): string {
  const last = word.markdown.codePointAt(word.markdown.length - 1) ?? 0
  const isHangul = last >= 0xac00 && last <= 0xd7a3
  const final = (last - 0xac00) % 28
  const isRieul = final === 8 && afterVowel === '로'
  return isHangul && final !== 0 && !isRieul ? afterConsonant : afterVowel
}
