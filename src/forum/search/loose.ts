import { isOfEnding } from '../../text/particles.ts'
import { quoted, tagLexeme } from './document.ts'
import type { SearchQuery } from './query.ts'
import { MAX_RANKED } from './sources.ts'

/**
 * tsquery text for any of the words or what means the same, the rarest first, as many as together stay few; null: there are no words.
 * Phrases, tags and what is excluded still hold.
 * @param isNowhere whether a word was just seen to be in no document
 */
export function looseMatch(
  query: SearchQuery,
  countOf: (lexeme: string) => number,
  isNowhere: (lexeme: string) => boolean,
): string | null {
  const words = query.groups.flatMap(({ lexemes, alike }) => [
    ...lexemes.filter((lexeme) => !isOfEnding(lexeme)).map((lexeme) => [lexeme]),
    ...alike,
  ])
  const known = words
    .filter((lexemes) => !lexemes.some(isNowhere))
    .map((lexemes) => ({
      match: lexemes.map(quoted).join(' & '),
      count: Math.min(...lexemes.map(countOf)),
    }))
    .sort((one, other) => one.count - other.count)
  const chosen: string[] = []
  let documents = 0
  for (const { match, count } of known) {
    documents += count
    if (documents > MAX_RANKED && chosen.length > 0) break
    if (documents <= MAX_RANKED * 10 && !chosen.includes(`(${match})`)) chosen.push(`(${match})`)
  }
  if (chosen.length === 0) return null
  const kept = [
    ...query.phrases.map((group) => group.match),
    ...query.filters.tags.map((tag) => quoted(tagLexeme(tag))),
    ...query.excluded.map((match) => `!${match}`),
  ]
  return [`(${chosen.join(' | ')})`, ...kept].join(' & ')
}
