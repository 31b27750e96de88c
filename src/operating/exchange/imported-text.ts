import { BEFORE } from '../../text/markdown/mentions.ts'
import { prepareMarkdown, type RenderedText } from '../../text/markdown.ts'
import { showsNothing } from '../../text/plain.ts'
import { NotDone } from '../../text/thread/thread.ts'
import { cleanText } from '../foreign/clean-text.ts'
import { literally } from '../foreign/literally.ts'
import { isTooLong, verbatim } from '../foreign/long-text.ts'
import { mapProse } from './prose.ts'
import type { Referred } from './references.ts'

/** What an imported text may lead to. */
export interface Destinations {
  /** The address of a post here, the name of a picture or the number of a person; null: the run has none. */
  of(kind: Referred, id: string): string | null
  /** What a picture is called there, whose file isn't here; null: nothing. */
  pictureAt(id: string): string | null
  /** `@staff` called the staff there, as it does here. */
  readonly callsStaff: boolean
}

/** The body of a post without any text: what is below it is worth keeping. */
const NO_TEXT = '(no text)'

/** The words of a link, with a picture or pairs of brackets in them. No two parts begin with the same character: it never backtracks far. */
export const WORDS = String.raw`(?:\\[\s\S]|\[(?:\\[\s\S]|[^\\[\]])*\]|[^\\[\]])*`
const TITLE = String.raw`(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?`

/**
 * By addresses of the export: `[words](exchange:question/ID)`, `![words](exchange:file/ID)`, `@[Name](exchange:person/ID)`, and
 * `[words]: exchange:question/ID` below the text.
 */
const EXCHANGED = new RegExp(
  [
    String.raw`(?<!\\)(?<sign>[!@]?)\[(?<words>${WORDS})\]\(<?exchange:(?:(?<kind>question|answer|reply|person|file)/(?<id>[^\s()<>]{1,200})|elsewhere)>?(?<title>${TITLE})\)`,
    String.raw`(?<=^ {0,3}\[[^[\]\n]{1,200}\]: {0,3})<?exchange:(?:(?<below>question|answer|reply|person|file)/(?<target>[^\s<>]{1,200})|elsewhere)>?`,
  ].join('|'),
  'gm',
)

/** What would lead to a post, a person or a picture of this forum: from elsewhere it is text. */
const OURS = new RegExp(
  [
    String.raw`(?<!\\)@\[(?<name>[^[\]\n]{1,100})\]\(person:[1-9]\d{0,14}\)`,
    String.raw`(?<place>\]\(<?|\]: {0,3}<?)(?=/(?:questions|people|uploads)/)`,
    String.raw`(?<=^|${BEFORE.source})(?<number>#[1-9]\d{0,8})(?![\w/-]|\.\w)`,
  ].join('|'),
  'gm',
)

/** What would be shown as a call of the staff of this course. */
const CALL = new RegExp(`(?<=^|${BEFORE.source})(?=@(?:staff|강사진|운영진))`, 'gim')

/** How the renderer shows what leads to something of this forum. */
const LED =
  /<a href="(\/questions\/[\w-]*)|(?:<a href="\/people\/|<span class="mention" data-person=")([\w-]*)|(?:<a href|<img src)="\/uploads\/([\w-]*)/g

/** Whether a text refers to posts, which are all here only at the end. */
export const refersToPosts = (markdown: string) => /\]\(exchange:(?:question|answer|reply)\//.test(markdown)

/** The pictures of a text, by their ids in the export. */
export const picturesOf = (markdown: string): string[] =>
  Array.from(markdown.matchAll(/\(exchange:file\/([^\s()]{1,200})\)/g), ([, id = '']) => id)

/**
 * A text of an export as a post here has it. It leads to nothing of this forum but what the run maps: `#12`, `/questions/12` and mentions
 * mean something in the forum that they come from.
 * @param heading a line to put above it
 */
export async function importedText(
  markdown: string,
  destinations: Destinations,
  heading: string | null = null,
): Promise<RenderedText> {
  const source = cleanText(markdown)
  const noted = noting(destinations)
  if (isTooLong(source)) return verbatimText(source, heading)
  const mapped = withoutOurs(source, noted)
  const text = await rendered(mapped)
  if (text === null) return verbatimText(source, heading)
  // What Markdown makes of a text in another way than is seen here is shown letter by letter.
  const isSafe = leadsOnlyTo(text.html, noted.addresses)
  const body = isSafe ? mapped : literally(source)
  const isEmpty = showsNothing(text.html)
  if (isSafe && !isEmpty && heading === null) return text
  const [whole] = await prepareMarkdown([`${above(heading)}${isEmpty ? NO_TEXT : body}`])
  return whole
}

/** null: it would take too long. */
async function rendered(markdown: string): Promise<RenderedText | null> {
  try {
    const [text] = await prepareMarkdown([markdown])
    return text
  } catch (error) {
    if (error instanceof NotDone) return null
    throw error
  }
}

async function verbatimText(source: string, heading: string | null): Promise<RenderedText> {
  const [text] = await prepareMarkdown([`${above(heading)}${verbatim(source)}`])
  return text
}

const above = (heading: string | null) => (heading === null ? '' : `**${literally(heading)}**\n\n`)

/** The same without rendering it: of an earlier text. */
export function withoutOurs(source: string, destinations: Destinations): string {
  return mapProse(source, (prose) => mapped(prose, destinations))
}

function mapped(prose: string, destinations: Destinations): string {
  const parts: string[] = []
  let from = 0
  for (const match of prose.matchAll(EXCHANGED)) {
    parts.push(neutral(prose.slice(from, match.index), destinations), led(match.groups ?? {}, destinations))
    from = match.index + match[0].length
  }
  return [...parts, neutral(prose.slice(from), destinations)].join('')
}

function neutral(prose: string, { callsStaff }: Destinations): string {
  const uncalled = callsStaff ? prose : prose.replace(CALL, '\\')
  return uncalled.replace(OURS, (written: string, ...rest: unknown[]) => {
    const { name, place, number } = rest.at(-1) as Readonly<Record<string, string | undefined>>
    if (name !== undefined) return `@${name}`
    if (number !== undefined) return `\\${number}`
    return place === undefined ? written : `\\${place}`
  })
}

function led(found: Readonly<Record<string, string | undefined>>, destinations: Destinations): string {
  const { sign = '', words: typed = '', title = '', below, target = '' } = found
  const { kind = below, id = target } = found
  const there = kind === undefined ? null : destinations.of(kind as Referred, id)
  const isMention = kind === 'person' && sign === '@'
  const to = kind === 'person' && !isMention && there !== null ? `/people/${there}` : there
  const picture = kind === 'file' ? (to === null ? destinations.pictureAt(id) : `/uploads/${to}`) : null
  // What is defined leads to the top of the page where it leads nowhere: its words are elsewhere in the text.
  if (found.words === undefined) return picture ?? (kind === 'file' ? null : to) ?? '#'
  const words = typed.includes('](') ? mapped(typed, destinations) : typed
  if (isMention) return to === null ? `@${words}` : `@[${words}](person:${to})`
  if (kind === 'file') return picture === null ? words : `![${words}](${picture}${title})`
  if (to === null)
    return `${sign === '!' ? '\\!' : ''}${typed === words ? neutral(words, destinations) : words}`
  const number = /^\/questions\/(\d+)$/.exec(to)?.[1]
  if (!words.startsWith('#')) return `[${words}](${to}${title})`
  return number === undefined ? `[#${/\d+/.exec(to)?.[0] ?? ''}](${to})` : `#${number}`
}

/** Whether a rendered text leads to nothing of this forum but these addresses. */
function leadsOnlyTo(html: string, addresses: ReadonlySet<string>): boolean {
  return Array.from(html.matchAll(LED)).every(([, question, person, picture]) =>
    addresses.has(question ?? (person === undefined ? `file ${picture}` : `person ${person}`)),
  )
}

/** The same destinations, and what of this forum they led to. */
function noting(destinations: Destinations) {
  const addresses = new Set<string>()
  return {
    addresses,
    callsStaff: destinations.callsStaff,
    pictureAt: (id: string) => destinations.pictureAt(id),
    of(kind: Referred, id: string) {
      const to = destinations.of(kind, id)
      if (to !== null)
        addresses.add(kind === 'person' || kind === 'file' ? `${kind} ${to}` : to.replace(/#.*$/, ''))
      return to
    },
  }
}
