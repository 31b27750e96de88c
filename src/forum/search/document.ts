import { type RawBuilder, sql } from 'kysely'
import { plainText } from '../../text/plain.ts'
import { rememberTerms, termsOf } from '../../text/words/terms.ts'

/** Goes up when the same text gives other terms: a running forum (housekeeping) then makes older documents again. */
export const TERMS_VERSION = 2

export interface DocumentText {
  readonly title: string
  readonly tags: readonly string[]
  readonly acceptedAnswer: string | null
  readonly others: readonly string[]
}

/** A tsvector keeps no larger position, and no more than 255 of one lexeme. */
const LAST_POSITION = 16_383
const MAX_POSITIONS = 255
/** Words of two fields are never one phrase. */
const GAP = 10

/**
 * The document as the text form of a tsvector: `'json':3A,12 'rest':1A`. At most about 400 KB.
 * @param terms what tells the terms of a text; another one than termsOf must give the same
 */
export function documentVector(
  { title, tags, acceptedAnswer, others }: DocumentText,
  terms: typeof termsOf = termsOf,
): string {
  const vector = new Map<string, string[]>()
  let next = 1
  const place = (lexeme: string, position: number, label: string) => {
    const places = vector.get(lexeme) ?? []
    vector.set(lexeme, places)
    if (places.length < MAX_POSITIONS) places.push(`${Math.min(position, LAST_POSITION)}${label}`)
  }
  // PostgreSQL's labels, from most to least telling: A, B, C, and none.
  const add = (text: string, label: 'A' | 'B' | 'C' | '') => {
    const found = terms(text)
    for (const { lexeme, position } of found) place(lexeme, next + position, label)
    next += (found.at(-1)?.position ?? 0) + GAP
  }
  add(title, 'A')
  for (const tag of tags) {
    // As itself, and by the words in it.
    place(tagLexeme(tag), next, 'B')
    add(tag, 'B')
  }
  if (acceptedAnswer !== null) add(acceptedAnswer, 'C')
  for (const text of others) add(text, '')
  return [...vector].map(([lexeme, places]) => `${quoted(lexeme)}:${places.join(',')}`).join(' ')
}

/** The lexeme of a tag; its blank tells it from every word. */
export function tagLexeme(tag: string): string {
  return `tag ${tag}`
}

/** What a thread of the forum is found by, as HTML where it is that. */
export interface ThreadTexts {
  readonly title: string
  readonly tags: readonly string[]
  readonly accepted_html: string | null
  readonly others_html: readonly string[]
}

/** A thread is indexed again with each post in it, and threads of one forum share most of their words. */
const rememberedTermsOf = rememberTerms(5000)

/** The text form of a tsvector: of long threads in a thread of its own. */
export function vectorOf({ title, tags, accepted_html, others_html }: ThreadTexts): string {
  const acceptedAnswer = accepted_html === null ? null : plainText(accepted_html)
  const others = others_html.map(plainText)
  return documentVector({ title, tags, acceptedAnswer, others }, rememberedTermsOf)
}

/** A lexeme as tsvector and tsquery read it: any character stands for itself between quotes. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/**
 * A tsquery, parsed once a statement. The planner does not see it, so that one plan serves all words: every source bounds its
 * documents by itself (plan.ts), and is read along the index of terms.
 */
export function tsquery(match: string): RawBuilder<unknown> {
  return sql`(select ${match}::text::tsquery)`
}
