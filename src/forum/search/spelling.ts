import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import { fold } from '../../text/words/fold.ts'
import { lettersOf, soundOf, syllablesWith } from '../../text/words/jamo.ts'
import { inOtherLayout } from '../../text/words/keyboard.ts'
import { denies, withoutSuffix } from '../../text/words/particles.ts'
import { distanceOf, editsOf } from '../../text/words/spelling.ts'
import { pairsOf, piecesOf, stemOf, termsOf } from '../../text/words/terms.ts'
import { quoted, tagLexeme } from './document.ts'
import { countDocuments } from './statistics.ts'

const MAX_ALIKE = 60
/** Words of a query that are looked at, and their length in UTF-16 units. */
const MAX_WORDS = 6
const MIN_WORD_LENGTH = 2
const MAX_WORD_LENGTH = 40
/** Up to this length two slips make another word. Korean words are spelt out: 롤백 has six letters. */
const SHORT = 5
/** Texts have so many words that one slip makes another of most shorter ones. */
const LONG_WORD = /^[a-z]{6,}$/
/** Korean words with the same first consonant that are compared, the commonest. */
const MAX_SAME_CONSONANT = 500
const HANGUL = /^[가-힣]{2,}$/u
/** A whole word in the other layout is no chance: it goes before other slips. */
const RETYPED = 0.5
/**
 * A word that was written before is only a slip beside one that is written this many times as often. Hardly any word stands in more than
 * one of as many titles, so that there is none beside what more than one of their square has.
 */
const COMMONER = 20

/** A filter with a quoted value, or whatever stands between blanks. */
const TOKEN = /[a-z]+:"[^"]*"?|\S+/giu
/** The word in it, without quotes and other signs around. */
const WORD = /[\p{L}\p{N}](?:\S*[\p{L}\p{N}])?/u

/** Misspelt words of a query, in small letters, each with the one that was meant. */
export type Corrections = ReadonlyMap<string, string>

/**
 * For each misspelt word the nearest, commonest one of titles and tags; for a longer English one that nobody wrote else the
 * nearest in a text. They were counted some time ago: those that the viewer could not find any more are not told.
 */
export async function correctionsOf(db: Database, viewer: Actor | null, text: string): Promise<Corrections> {
  const typed = [...new Set(Array.from(text.matchAll(TOKEN), ([token]) => wordOf(token)))]
    .filter((word) => word.length >= MIN_WORD_LENGTH && word.length <= MAX_WORD_LENGTH && !isStopped(word))
    .slice(0, MAX_WORDS)
  if (typed.length === 0) return new Map()
  const retypings = typed.flatMap(retyped)
  const { counts, total } = await writtenCounts(db, [...typed, ...retypings.map(({ word }) => word)])
  const unsure = typed.filter((word) => (counts.get(word) ?? 0) * COMMONER ** 2 <= total)
  if (unsure.length === 0) return new Map()
  const ways = [...unsure.map(edited), alike(unsure), ...sounding(unsure)]
  const { rows: written } = await sql<Candidate>`${sql.join(ways, sql` union all `)}`.execute(db)
  const found = [
    ...written,
    ...retypings.flatMap((one) => {
      const count = counts.get(one.word) ?? 0
      return count === 0 ? [] : [{ ...one, questions_count: count, isRetyped: true }]
    }),
  ]
  const better = new Map<string, string>()
  const correct = (words: readonly string[], candidates: readonly Candidate[]) => {
    for (const word of words) {
      const best = nearest(word, counts.get(word) ?? 0, candidates)
      if (best !== null) better.set(word, best)
    }
  }
  correct(unsure, found)
  const unknown = unsure.filter((word) => !better.has(word) && !counts.get(word) && LONG_WORD.test(word))
  if (unknown.length > 0) correct(unknown, await editedInTexts(db, unknown))
  const told = await findable(db, viewer, [...new Set(better.values())])
  return new Map([...better].filter(([, word]) => told.has(word)))
}

export function corrected(text: string, corrections: Corrections): string | null {
  const better = text.replace(TOKEN, (token) => {
    const replacement = corrections.get(wordOf(token))
    return replacement === undefined ? token : token.replace(WORD, () => replacement)
  })
  return better === text ? null : better
}

/** The word in a part of a query, in small letters; '' for a filter and for what is excluded. */
function wordOf(token: string): string {
  if (token.includes(':') || token.startsWith('-')) return ''
  return fold(WORD.exec(token)?.[0] ?? '', 'same')
}

/** Stop words, "don't" too, are no mistakes, although no document has them. */
function isStopped(word: string): boolean {
  return piecesOf(word).every(({ runs }) => runs.every(({ lexemes }) => lexemes.length === 0))
}

/** In how many documents each of these words was written in any form, and how many there are, as last counted. */
async function writtenCounts(db: Database, words: readonly string[]) {
  const lexemes = words.map((word) => [word, lexemesOf(word)] as const)
  const { counts, total } = await countDocuments(db, [...new Set(lexemes.flatMap(([, own]) => own))])
  const least = (own: readonly string[]) => Math.min(...own.map((lexeme) => counts.get(lexeme) ?? 0))
  return { counts: new Map(lexemes.map(([word, own]) => [word, least(own)])), total }
}

/** What a document with a word has: of a Korean one all its pairs of syllables, else its stem. */
function lexemesOf(word: string): string[] {
  if (HANGUL.test(word)) return pairsOf(withoutSuffix(word)).slice(0, -1)
  return [termsOf(word)[0]?.lexeme ?? word]
}

interface Candidate {
  readonly typed: string
  readonly word: string
  readonly questions_count: number
  readonly isRetyped?: boolean
}

/** Words one slip away, and the typed one itself where somebody wrote it. By primary key. */
function edited(typed: string): RawBuilder<unknown> {
  return sql`
    (select ${typed}::text as typed, word, questions_count
    from unnest(${editsOf(typed)}::text[]) as edit (word) join search_words using (word))`
}

/**
 * Words whose stem is somewhere in a text, with one letter more or less, or two swapped: with another letter it is often another word,
 * as "looking" is for "locking". By primary key.
 */
async function editedInTexts(db: Database, words: readonly string[]): Promise<Candidate[]> {
  const ways = words.map((typed) => {
    const edits = editsOf(typed, false).filter((word) => LONG_WORD.test(word))
    return sql`
      (select ${typed}::text as typed, word, documents_count as questions_count
      from unnest(${edits}::text[], ${edits.map(stemOf)}::text[]) as edit (word, term) join search_terms using (term))`
  })
  const { rows } = await sql<Candidate>`${sql.join(ways, sql` union all `)}`.execute(db)
  return rows
}

/** Words that share many letters in a row, as pg_trgm has it. Uses index search_words_trigrams. */
function alike(words: readonly string[]): RawBuilder<unknown> {
  return sql`
    (select typed, found.word, found.questions_count from unnest(${words}::text[]) as typed
    cross join lateral (
      select word, questions_count from search_words where word % typed
      order by word <-> typed, questions_count desc, word limit ${sql.lit(MAX_ALIKE)}) as found)`
}

/** Korean words that begin with the same consonant: syllables of one are a range. Uses index search_words_prefix. */
function sounding(words: readonly string[]): RawBuilder<unknown>[] {
  const korean = words.filter((word) => HANGUL.test(word))
  if (korean.length === 0) return []
  const ranges = korean.map((word) => syllablesWith(lettersOf(word).charAt(0)))
  return [
    sql`
    (select typed, found.word, found.questions_count
    from unnest(${korean}::text[], ${ranges.map(([from]) => from)}::text[], ${ranges.map(([, to]) => `${to}\uffff`)}::text[]) as told (typed, least, most)
    cross join lateral (
      select word, questions_count from search_words where word ~>=~ least and word ~<=~ most
      order by questions_count desc, word limit ${sql.lit(MAX_SAME_CONSONANT)}) as found)`,
  ]
}

/** What the same keys write in the other layout: gksrmf is 한글. */
function retyped(typed: string): { readonly typed: string; readonly word: string }[] {
  const word = inOtherLayout(typed)
  return word === null || word.length < MIN_WORD_LENGTH ? [] : [{ typed, word }]
}

/** Slips that make one word of another: letters by their sound, and two neighbours swapped. Endings don't count. */
function slipsBetween(typed: string, word: string): number {
  const isSwapped = word.length === typed.length && distanceOf(typed, word) === 1 && isSameSet(typed, word)
  return isSwapped ? 1 : distanceOf(soundOf(withoutSuffix(typed)), soundOf(withoutSuffix(word)))
}

function isSameSet(one: string, other: string): boolean {
  return [...one].sort().join('') === [...other].sort().join('')
}

/** What a word was meant to be; null: what it is. @param written in how many documents it stands as it was typed */
function nearest(typed: string, written: number, candidates: readonly Candidate[]): string | null {
  const stem = soundOf(withoutSuffix(typed))
  const [best] = candidates
    .filter((candidate) => candidate.typed === typed && denies(candidate.word) === denies(typed))
    .map(({ word, questions_count: count, isRetyped = false }) => ({
      word: withoutSuffix(word),
      count,
      isItself: withoutSuffix(word) === withoutSuffix(typed),
      distance: isRetyped ? RETYPED : slipsBetween(typed, word),
    }))
    .filter(({ distance }) => distance <= (stem.length <= SHORT ? 1 : 2))
    .filter(({ isItself, count }) => isItself || count >= written * COMMONER)
    .sort(
      (one, other) =>
        Number(other.isItself) - Number(one.isItself) ||
        one.distance - other.distance ||
        other.count - one.count ||
        likelihood(typed, other.word) - likelihood(typed, one.word),
    )
  return best === undefined || best.isItself ? null : best.word
}

/** Of forms of one word a letter that was left out is likelier than one too many, and that than another one. */
function likelihood(typed: string, word: string): number {
  return word.length > typed.length ? 2 : word.length < typed.length ? 1 : 0
}

/** Which of these words the viewer may read, or has as a tag, in some question. Uses index search_documents_terms. */
async function findable(db: Database, viewer: Actor | null, words: readonly string[]): Promise<Set<string>> {
  if (words.length === 0) return new Set()
  const matches = words.map((word) => {
    // A Korean word goes on with particles: its last letter alone is no condition.
    const terms = termsOf(word)
      .filter(({ lexeme }) => !HANGUL.test(word) || lexeme.length > 1)
      .map(({ lexeme }) => quoted(lexeme))
    return [terms.join(' & '), quoted(tagLexeme(word))].filter(Boolean).join(' | ')
  })
  const { rows } = await sql<{ word: string }>`
    select word from unnest(${words}::text[], ${matches}::text[]) as told (word, match)
    where exists (
      select from search_documents as d join courses as course on course.id = d.course_id
      where d.terms @@ told.match::tsquery and ${visibleTo(viewer)})`.execute(db)
  return new Set(rows.map(({ word }) => word))
}

/** Initial consonants of two syllables and more, and nothing else. */
const INITIALS = /^[ㄱ-ㅎ]{2,12}$/u
const UNFINISHED = /[ㄱ-ㅎㅏ-ㅣ]+$/u
const MAX_UNFINISHED_WORDS = 20

/**
 * What somebody means who is still typing Korean: without the letter that is no syllable yet (`토ㅋ`), and for initial consonants
 * the commonest word with them that the viewer may find (`ㅎㄱ` is 한글).
 */
export async function meantBy(db: Database, viewer: Actor | null, typed: string): Promise<string> {
  const text = typed.normalize('NFC').trim()
  if (INITIALS.test(text)) return (await wordWithInitials(db, viewer, text)) ?? text
  const finished = text.replace(UNFINISHED, '')
  return finished.trim() === '' ? typed : finished === text ? typed : finished
}

/** Uses index search_words_prefix for the first syllable. */
async function wordWithInitials(db: Database, viewer: Actor | null, initials: string) {
  const ranges = [...initials].map(syllablesWith)
  const [least = '', most = ''] = ranges[0] ?? []
  const pattern = `^${ranges.map(([from, to]) => `[${from}-${to}]`).join('')}`
  const { rows } = await sql<{ word: string }>`
    select word from search_words
    where word ~>=~ ${least} and word ~<=~ ${`${most}\uffff`} and word collate "C" ~ ${pattern}
    order by questions_count desc, word limit ${MAX_UNFINISHED_WORDS}`.execute(db)
  const words = rows.map(({ word }) => word.slice(0, initials.length))
  const told = await findable(db, viewer, [...new Set(words)])
  return words.find((word) => told.has(word)) ?? null
}
