import { renderedBody } from '../../forum/posts/text.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { readDumpHtml } from './dump-html.ts'
import { formulaOrText } from './formulas.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { type Outline, outlineOf } from './outline.ts'
import { mapCode, mapTex } from './tex.ts'

/** How closely a post matches the dump's HTML. */
export type Fidelity = 'exact' | 'words' | 'near'

export interface PostMarkdown {
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

function* candidates(
  html: string,
  source: string | null,
): Generator<{ markdown: string; origin: 'source' | 'html' }> {
  if (source !== null) {
    const markdown = source.replace(/^>!/gm, '>').trimEnd()
    yield { markdown, origin: 'source' }
    const ours = withOurFormulas(markdown)
    if (ours !== markdown) yield { markdown: ours, origin: 'source' }
  }
  yield { markdown: htmlToMarkdown(html), origin: 'html' }
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
