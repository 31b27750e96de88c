import { isStopWord } from '../../../text/words/terms.ts'
import { Random } from '../../generate/random.ts'
import type { Asked, Text } from './collection.ts'

const SEED = 20_261_121
const OF_TITLE = 4
const OF_ANSWER = 5

/** Each question looked for by the rarest words of its title. */
export function knownByTitles(texts: readonly Text[]): Asked[] {
  const counts = new Map<string, number>()
  for (const { title, body } of texts)
    for (const word of wordsOf(`${title} ${body}`)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const count = (word: string) => counts.get(word) ?? 0
  return texts.map(({ title }, index) => {
    const rarest = wordsOf(title).toSorted((one, other) => count(one) - count(other))
    return askedFor(rarest.slice(0, OF_TITLE), index)
  })
}

/** Each question with an accepted answer looked for by words of that, which are chosen by chance, the same in each run. */
export function knownByAnswers(texts: readonly Text[]): Asked[] {
  const random = new Random(SEED)
  return texts.flatMap(({ answer }, index) => {
    const words = wordsOf(answer ?? '')
    if (words.length < OF_ANSWER) return []
    const chosen = Array.from({ length: OF_ANSWER }, () => words.splice(random.below(words.length), 1))
    return [askedFor(chosen.flat(), index)]
  })
}

/** Different words of two letters and more, without the commonest, which nobody would type. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []
  return [...new Set(words)].filter((word) => !isStopWord(word))
}

function askedFor(words: readonly string[], index: number): Asked {
  return { title: words.join(' '), body: '', right: [index], self: null }
}
