import { BEFORE, WRITTEN } from './markdown/mentions.ts'
import { proseText } from './plain.ts'
import { fold } from './words/fold.ts'
import { PARTICLES } from './words/particles.ts'

/** How a name may be addressed in Korean, before a particle. */
const HONORIFICS = '(?:선생|교수|강사|조교|멘토)?님|씨|쌤'
/** What ends a name: no letter that goes on with it, nor the second half of an address or a double name. */
const AFTER = new RegExp(
  `^(?:${HONORIFICS})?(?:께서|께|${PARTICLES.replaceAll(' ', '|')})?(?![\\p{L}\\p{M}\\p{N}_]|[.-][\\p{L}\\p{N}])`,
  'u',
)
const AT = new RegExp(`(?<=^|${BEFORE.source})@(?=[\\p{L}\\p{N}])`, 'gmu')
/** A word behind an `@`, where it is no call of a function, address or path. */
const WORD = new RegExp(`${AT.source}([\\p{L}\\p{M}\\p{N}_'’-]{1,50})(?![(/\\p{L}\\p{N}]|[.:]\\p{L})`, 'gmu')
/** Words such as `@JsonIgnore` are of a program. */
const OF_CODE = /\p{Ll}\p{Lu}|_/u

/** A call of the staff, as the renderer shows it. */
const CALLED = /<span class="mention">[^<]*<\/span>/g

/** Characters (UTF-16) in which a name ends: the longest has fifty, and some take two. */
const LONGEST = 60
/** Beginnings of a line that may be its name. */
const MOST_NAMES = 12
/** Of a text; names after that stay as they are. */
const MOST_TYPED = 100

/** An `@` in a source, and the names that it may stand before. */
export interface TypedName {
  /** Where the `@` stands. */
  readonly at: number
  /** The longest first; `end`: where it ends in the source, `folded`: as names are compared. */
  readonly names: readonly { readonly end: number; readonly folded: string }[]
}

/** What may be names that were typed by hand, as in `@Mara Ilić` or `@윤서진님께`: in code, too. */
export function typedNames(source: string): TypedName[] {
  const written = Array.from(source.matchAll(WRITTEN), ({ 0: { length }, index }) => [index, index + length])
  return Array.from(source.matchAll(AT), ({ index }) => index)
    .filter((at) => !written.some(([start = 0, end = 0]) => start <= at && at < end))
    .slice(0, MOST_TYPED)
    .map((at) => ({ at, names: namesAt(source, at + 1) }))
}

function namesAt(source: string, start: number): TypedName['names'] {
  const [line = ''] = /^[^[\]\r\n]*/.exec(source.slice(start, start + 2 * LONGEST)) ?? []
  const names: { end: number; folded: string }[] = []
  for (let length = 1; length <= Math.min(line.length, LONGEST) && names.length < MOST_NAMES; length += 1)
    if (/\S/.test(line.charAt(length - 1)) && AFTER.test(line.slice(length)))
      names.push({ end: start + length, folded: fold(line.slice(0, length), 'same') })
  return names.reverse()
}

/** The words behind an `@` in a text, each once, that mention nobody. @param html from prepareMarkdown, without its mentions */
export function wordsAfterAt(html: string): string[] {
  const words = Array.from(proseText(html.replace(CALLED, '')).matchAll(WORD), ([, word = '']) => word)
  return [...new Set(words.filter((word) => !OF_CODE.test(word)))]
}
