import { renderedBody } from '../../forum/posts/text.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import type { ImportTally } from '../exchange/import-tally.ts'
import { cleanText } from '../foreign/clean-text.ts'
import { formulaOrText, mapCode, mapTex } from '../foreign/tex.ts'
import { decodeText, readDumpHtml } from './dump-html.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'

/** The tally's notes on texts, by how closely they match the original. */
const NOTES = {
  exact: 'texts shown exactly as they were',
  words: 'texts with the same words and other emphasis, lists or links',
  near: 'texts with words that Markdown cannot show as they were',
}

/** A post's Markdown, from its source where the dump has it, else from its HTML; and how, in the tally. */
export async function importedBody(html: string, source: string | null, tally: ImportTally): Promise<string> {
  const { columns, fidelity, origin } = await postMarkdown(cleanText(html), source)
  tally.note(origin === 'source' ? 'texts taken from their Markdown source' : 'texts made of their HTML')
  tally.note(NOTES[fidelity])
  return columns.body
}

/** How closely a post matches the dump's HTML. */
type Fidelity = 'exact' | 'words' | 'near'

interface PostMarkdown {
  readonly columns: ReturnType<typeof renderedBody>
  /** What the Markdown was made from. */
  readonly origin: 'source' | 'html'
  readonly fidelity: Fidelity
}

const RANKS: Readonly<Record<Fidelity, number>> = { exact: 2, words: 1, near: 0 }

/**
 * A post's Markdown. The source is what its author wrote, but the forum may render it differently (HTML in it, older
 * Markdown, TeX). So the rendering decides: the source if it shows what the dump's HTML does, else the HTML converted.
 * @param source the Markdown of the latest revision; null: the dump has none
 */
export async function postMarkdown(html: string, source: string | null): Promise<PostMarkdown> {
  const canonical = readDumpHtml(html)
  const wanted = outlineOf(canonical)
  let best: PostMarkdown | null = null
  for (const { markdown, origin } of candidates(canonical, source)) {
    const [rendered] = await prepareMarkdown([markdown])
    const columns = renderedBody(rendered)
    const found: PostMarkdown = { columns, origin, fidelity: compare(wanted, outlineOf(columns.body_html)) }
    if (best === null || isBetter(found, best)) best = found
    if (best.fidelity === 'exact') break
  }
  if (best === null) throw new Error('a post has a text')
  return best
}

/**
 * A source that does not even show the same words has markup with another meaning here, so the converted HTML loses
 * less.
 */
function isBetter(one: PostMarkdown, other: PostMarkdown): boolean {
  return RANKS[one.fidelity] > RANKS[other.fidelity] || (one.origin === 'html' && other.fidelity === 'near')
}

function* candidates(html: string, source: string | null) {
  if (source !== null) {
    const markdown = source.replace(/^>!/gm, '>').trimEnd()
    yield { markdown, origin: 'source' as const }
    const ours = withOurFormulas(markdown)
    if (ours !== markdown) yield { markdown: ours, origin: 'source' as const }
  }
  yield { markdown: htmlToMarkdown(html), origin: 'html' as const }
}

function withOurFormulas(markdown: string): string {
  return mapCode(
    markdown,
    (code) => code,
    (text) => mapTex(text, formulaOrText, (words) => words),
  )
}

function compare(wanted: Outline, shown: Outline): Fidelity {
  if (wanted.words !== shown.words) return 'near'
  const areLinksKept = [...wanted.addresses].every((address) => shown.addresses.has(address))
  return areLinksKept && wanted.structure === shown.structure ? 'exact' : 'words'
}

/** What a post shows to a reader, in a form that two renderings can be compared by. */
interface Outline {
  /** All words, without the white space between them. */
  readonly words: string
  /** The words with markers for their context: lists, quotes, code, headings, tables, emphasis. */
  readonly structure: string
  /** Targets of its links and images. */
  readonly addresses: ReadonlySet<string>
}

/**
 * Tags that carry meaning. Heading levels differ by design; whether an item's words are in a paragraph changes only the
 * look.
 */
const MARKERS = new Map([
  ...'li ul ol blockquote hr tr em strong s td code'.split(' ').map((name) => [name, name] as const),
  ...'h1 h2 h3 h4 h5 h6'.split(' ').map((name) => [name, 'h'] as const),
  ...[['kbd', 'code'] as const, ['th', 'td'] as const],
])

/**
 * Reads HTML in which < and > only delimit tags: from readDumpHtml or prepareMarkdown.
 *
 * An image counts as its words, since the forum shows it as a link, or as the words of the link around it; a
 * superscript ² counts as 2, since Markdown has no superscript.
 */
function outlineOf(html: string): Outline {
  const reader = new OutlineReader()
  for (const [, tag, text] of html.matchAll(/(<[^>]*>)|([^<]+)/g)) {
    if (tag !== undefined) reader.tag(tag)
    else reader.text(decodeText(text ?? ''))
  }
  return reader
}

class OutlineReader implements Outline {
  readonly addresses = new Set<string>()
  #words: string[] = []
  #structure: string[] = []
  #itemDepth = 0
  #isInLink = false
  /** In the elements of a formula before its source, or in the number of lines of folded code. */
  #isUnread = false
  /** The text of the current code block, in which white space counts. */
  #code: string[] | null = null

  get words(): string {
    return this.#words.join('')
  }

  get structure(): string {
    return this.#structure.join('')
  }

  text(decoded: string): void {
    const text = decoded.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
    if (this.#isUnread) return
    // A formula has other delimiters here.
    const words = text.replace(/[\s$]+/g, '')
    this.#words.push(words)
    if (this.#code === null) this.#structure.push(words)
    else this.#code.push(text)
  }

  tag(tag: string): void {
    const [, slash = '', name = ''] = /^<(\/?)(\w+)/.exec(tag) ?? []
    const isOpening = slash === ''
    if (name === 'math') this.#isUnread = isOpening
    if (name === 'annotation') this.#isUnread = !isOpening
    if (name === 'summary') this.#isUnread = isOpening
    if (name === 'a') this.#isInLink = isOpening
    if (name === 'a') this.#lead(attributeOf(tag, 'href'))
    if (name === 'img') this.#picture(tag)
    if (name === 'li') this.#itemDepth += isOpening ? 1 : -1
    if (name === 'pre') this.#block(isOpening)
    const mark = name === 'p' && isOpening && this.#itemDepth === 0 ? 'p' : MARKERS.get(name)
    if (mark !== undefined && this.#code === null) this.#structure.push(`<${slash}${mark}>`)
  }

  #block(isOpening: boolean): void {
    if (this.#code !== null)
      this.#structure.push(`<pre>${this.#code.join('').replace(/^\n+|\s+$/g, '')}</pre>`)
    this.#code = isOpening ? [] : null
  }

  #picture(tag: string): void {
    const address = attributeOf(tag, 'src')
    if (!this.#isInLink) this.#lead(address)
    this.text(attributeOf(tag, 'alt')?.trim() || (address ?? ''))
  }

  #lead(address: string | null): void {
    if (address === null || !/^(?:https?|mailto):/i.test(address) || !URL.canParse(address)) return
    this.addresses.add(spelling(new URL(address).href))
  }
}

/** Which characters are percent-encoded differs between writers of the same URL. */
function spelling(address: string): string {
  return address.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded.toUpperCase()
    }
  })
}

function attributeOf(tag: string, name: 'href' | 'src' | 'alt'): string | null {
  const start = tag.indexOf(` ${name}="`)
  if (start < 0) return null
  const from = start + name.length + 3
  return decodeText(tag.slice(from, tag.indexOf('"', from)))
}
