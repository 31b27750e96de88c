import { type RawBuilder, sql } from 'kysely'
import { termsOf } from '../../text/words/terms.ts'

/** Goes up when the same text gives other terms: a running forum (housekeeping) then makes older documents again. */
export const TERMS_VERSION = 2

export interface DocumentText {
  readonly title: string
  readonly tags: readonly string[]
  readonly acceptedAnswer: string | null
  /** The question's body first, then the other answers and the replies. */
  readonly others: readonly string[]
}

/** PostgreSQL's four labels, from most to least telling. */
type Label = 'A' | 'B' | 'C' | 'D'

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
  const vector = new VectorMaker(terms)
  vector.add(title, 'A')
  for (const tag of tags) vector.addTag(tag)
  if (acceptedAnswer !== null) vector.add(acceptedAnswer, 'C')
  for (const text of others) vector.add(text, 'D')
  return vector.text()
}

/** The lexeme of a tag; its blank tells it from every word. */
export function tagLexeme(tag: string): string {
  return `tag ${tag}`
}

class VectorMaker {
  private readonly places = new Map<string, string[]>()
  private next = 1
  private readonly terms: typeof termsOf

  constructor(terms: typeof termsOf) {
    this.terms = terms
  }

  add(text: string, label: Label): void {
    let last = 0
    for (const { lexeme, position } of this.terms(text)) {
      this.place(lexeme, this.next + position, label)
      last = position
    }
    this.next += last + GAP
  }

  /** A tag is found as itself and by the words in it. */
  addTag(tag: string): void {
    this.place(tagLexeme(tag), this.next, 'B')
    this.add(tag, 'B')
  }

  text(): string {
    return [...this.places].map(([lexeme, places]) => `${quoted(lexeme)}:${places.join(',')}`).join(' ')
  }

  private place(lexeme: string, position: number, label: Label): void {
    const places = this.places.get(lexeme) ?? []
    if (places.length === 0) this.places.set(lexeme, places)
    if (places.length >= MAX_POSITIONS) return
    places.push(`${Math.min(position, LAST_POSITION)}${label === 'D' ? '' : label}`)
  }
}

/** A lexeme as tsvector and tsquery read it: any character stands for itself between quotes. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/**
 * A tsquery, parsed once a statement. The planner does not see it, so that one plan serves all words: every source bounds its
 * documents by itself (sources.ts), and is read along the index of terms.
 */
export function tsquery(match: string): RawBuilder<unknown> {
  return sql`(select ${match}::text::tsquery)`
}
