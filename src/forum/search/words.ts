import { fold } from '../../text/words/fold.ts'
import { isAsking, withoutSuffix } from '../../text/words/particles.ts'
import { type Synonyms, synonymsOf } from '../../text/words/synonyms.ts'
import { type Piece, pairsOf, piecesOf, type Run, termsOf } from '../../text/words/terms.ts'
import { quoted, tagLexeme } from './document.ts'

/** One word of a query. Both are tsquery text; every lexeme in it is quoted, so that nothing typed is an operator. */
export interface Group {
  readonly match: string
  /** The same without the ways that only take its parts: the identifier itself, the word itself. */
  readonly narrow: string
  /** The lexemes that `narrow` takes all of: the rarest tells how few documents match. */
  readonly required: readonly string[]
  /** The lexemes that the widest way of `match` takes all of: as many documents as that may match. */
  readonly parts: readonly string[]
  readonly lexemes: readonly string[]
  /** What words that mean the same take, each all of its lexemes: `match` takes any of those words as well. */
  readonly alike: readonly (readonly string[])[]
  /** How the word, or one that means the same, stands in a document: for a search of which not all words are there. */
  readonly ways: readonly Way[]
  /**
   * How a longer word begins that is meant as well, in small letters: always for a single letter, else where no document
   * has it as a word. null: the word is finished.
   */
  readonly prefix: string | null
}

/** One way in which a word stands in a document: `match` is tsquery text. */
export interface Way {
  readonly match: string
  /** The lexemes of `match`, of words that follow one another. */
  readonly steps: readonly (readonly string[])[]
}

const UNSPACED_LETTER = /^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]$/u

/** Words read of a query; the rest of a longer one finds nothing more. */
export const MAX_GROUPS = 12

/**
 * What the words of a query look for, in their order.
 * @param isOpen the last word may still be going on: it finds longer ones too
 * @param synonyms words that are found as well
 */
export function groupsOf(words: readonly string[], isOpen: boolean, synonyms: Synonyms = synonymsOf) {
  const all = piecesOf(words.join(' '))
  const telling = all.filter(
    (piece) => !piece.runs.every((run) => run.isUnspaced && isAsking(run.text)) || piece.whole !== null,
  )
  const pieces = telling.length > 0 ? telling : all
  const names = namesAlike(pieces, synonyms)
  return pieces.flatMap((piece, index) => {
    const group = groupOf(piece, isOpen && index === pieces.length - 1, synonyms)
    return group === null ? [] : [withAlike(group, names[index] ?? [])]
  })
}

/**
 * What means the same as each of these pieces, beside what its words mean: as an identifier (`n+1`), or together with the piece beside
 * it (`dirty checking`, `변경 감지`), in whose place a document may have one word.
 */
export function namesAlike(pieces: readonly Piece[], synonyms: Synonyms): readonly (readonly string[])[] {
  const runs = pieces.map((piece) => (piece.runs.length === 1 ? piece.runs[0] : undefined))
  const pairs = runs.map((one, at) => {
    const next = runs[at + 1]
    if (one === undefined || next === undefined) return []
    const [first, last] = [one.text.toLowerCase(), wordOf(next)]
    return [`${first} ${last}`, `${first}${last}`].flatMap(synonyms)
  })
  return pieces.map(({ whole }, at) => [
    ...(whole === null ? [] : synonyms(whole)),
    ...(pairs[at - 1] ?? []),
    ...(pairs[at] ?? []),
  ])
}

function groupOf(piece: Piece, isOpen: boolean, synonyms: Synonyms): Group | null {
  const runs = piece.runs
    .filter((run) => run.lexemes.length > 0)
    .map((run) => runGroup(run, isOpen, synonyms))
  const [only] = runs
  if (piece.whole === null) return runs.length === 1 && only !== undefined ? only : null
  if (runs.length === 1 && only?.required[0] === piece.whole) return only
  // C++ and C# are not C: where only single letters are left, the whole alone says it.
  if (piece.runs.every((run) => run.text.length < 2)) runs.length = 0
  const parts = runs.map((run) => run.match).join(' & ')
  const whole = `${quoted(piece.whole)} | ${quoted(tagLexeme(piece.whole))}`
  return {
    match: parts === '' ? `(${whole})` : `(${whole} | (${parts}))`,
    narrow: `(${whole})`,
    required: [piece.whole],
    parts: runs.flatMap((run) => run.parts),
    lexemes: [piece.whole, ...runs.flatMap((run) => run.lexemes)],
    prefix: null,
    alike: runs.flatMap((run) => run.alike),
    ways: [wayOf([piece.whole]), ...runs.flatMap((run) => run.ways)],
  }
}

function runGroup(run: Run, isOpen: boolean, synonyms: Synonyms): Group {
  const own = run.isUnspaced ? unspacedGroup(run.text) : wordGroup(run, isOpen)
  return withAlike(own, synonyms(wordOf(run)))
}

function withAlike(own: Group, names: readonly string[]): Group {
  const alike = names.flatMap((name) => nameGroup(name) ?? [])
  if (alike.length === 0) return own
  return {
    ...own,
    match: `(${[own, ...alike].map(({ match }) => match).join(' | ')})`,
    alike: [...own.alike, ...alike.map(({ required }) => required)],
    ways: [own, ...alike].flatMap(({ ways }) => ways),
  }
}

function nameGroup(name: string): Group | null {
  const [piece, ...more] = piecesOf(name)
  if (piece === undefined) return null
  return more.length > 0 ? phraseOf(name) : groupOf(piece, false, () => [])
}

/** A word as synonyms have it. */
export function wordOf({ text, isUnspaced }: Run): string {
  const word = text.toLowerCase()
  return isUnspaced ? withoutSuffix(word) : word
}

/** What a word tells: nothing if it asks; of a Korean one no ending, nor its last letter alone. */
export function tellingOf({ isUnspaced, lexemes, text }: Run): readonly string[] {
  if (!isUnspaced) return lexemes
  if (isAsking(text)) return []
  const pairs = pairsOf(withoutSuffix(text))
  return pairs.length > 1 ? pairs.slice(0, -1) : pairs
}

/** What is found by all of its lexemes and nothing else. */
export function wholeGroup(match: string, lexemes: readonly string[], ways: readonly Way[]): Group {
  return { match, narrow: match, required: lexemes, parts: lexemes, lexemes, prefix: null, alike: [], ways }
}

/**
 * The ends of a word written without spaces must be there; what is between only ranks, so that `응답본문` finds
 * `응답 본문`. One letter finds the words beginning or ending with it.
 */
function unspacedGroup(text: string): Group {
  const lower = text.toLowerCase()
  const noun = withoutSuffix(lower)
  if ([...noun].length === 1) return { ...wholeGroup(quoted(noun), [noun], [wayOf([noun])]), prefix: noun }
  const pairs = pairsOf(noun).slice(0, -1)
  const ends = [...new Set([pairs[0] ?? '', pairs.at(-1) ?? ''])]
  const match = `(${ends.map(quoted).join(' & ')})`
  return { ...wholeGroup(match, ends, [wayOf(pairs)]), lexemes: pairs }
}

/** The lexemes of a word have one position. */
function wayOf(lexemes: readonly string[]): Way {
  return { match: `(${lexemes.map(quoted).join(' <0> ')})`, steps: [lexemes] }
}

/** A word by its stem, as a tag, or, for a name such as NullPointerException, by all the words in it. */
function wordGroup(run: Run, isOpen: boolean): Group {
  const [stem = '', ...parts] = run.lexemes
  const tag = tagLexeme(fold(run.text, 'same'))
  const itself = `${quoted(stem)} | ${quoted(tag)}`
  const isName = parts.length > 1
  return {
    match: isName ? `(${itself} | (${parts.map(quoted).join(' & ')}))` : `(${itself})`,
    narrow: `(${itself})`,
    required: [stem],
    parts: isName ? parts : [stem],
    lexemes: [stem, ...parts],
    prefix: isOpen && run.text.length >= 3 ? fold(run.text, 'find') : null,
    alike: [],
    ways: [wayOf([stem]), ...(isName ? [{ match: parts.map(quoted).join(' & '), steps: [parts] }] : [])],
  }
}

/** The words of a phrase one after another; all lexemes of a word at once. null when there is no word in it. */
export function phraseOf(text: string): Group | null {
  const terms = termsOf(text).slice(0, MAX_GROUPS * 3)
  const [beforeLast, last] = terms.slice(-2)
  // The last letter of a Korean word tells where it ends: the last word of a phrase may go on, as `거부` does in `거부됩니다`.
  const isEnd =
    last !== undefined && last.position === beforeLast?.position && UNSPACED_LETTER.test(last.lexeme)
  const words = Map.groupBy(isEnd ? terms.slice(0, -1) : terms, (term) => term.position)
  if (words.size === 0) return null
  const lexemes = [...words.values()].map((terms) => terms.map((term) => term.lexeme))
  const steps = lexemes.map((step) => `(${step.map(quoted).join(' & ')})`)
  const match = `(${steps.join(' <-> ')})`
  return wholeGroup(match, lexemes.flat(), [{ match, steps: lexemes }])
}
