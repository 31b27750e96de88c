import type { RenderedText } from '../../text/markdown.ts'
import { plainText } from '../../text/plain.ts'

/** A heading of the first level: `id` is where a link to it leads. */
export interface Heading {
  readonly id: string
  readonly text: string
}

/**
 * The text of a page with its headings a level higher than in posts, as the page itself has only a title, and anchors on those of
 * the first level: `rule-1`, `rule-2` and so on.
 */
export function outlineOf(body: RenderedText): {
  readonly html: string
  readonly headings: readonly Heading[]
} {
  const headings: Heading[] = []
  const html = body.html.replace(/<h([3-6])>(.*?)<\/h\1>/gs, (_all, level: string, inner: string) => {
    if (level !== '3') return `<h${Number(level) - 1}>${inner}</h${Number(level) - 1}>`
    const id = `rule-${headings.length + 1}`
    headings.push({ id, text: plainText(inner) })
    return `<h2 id="${id}">${inner}</h2>`
  })
  return { html, headings }
}
