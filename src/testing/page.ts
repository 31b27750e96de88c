/** What a person finds on a page; for tests of a page's content rather than its markup. */

/** The text of HTML: no tags, references decoded, white space collapsed. */
export function textOf(html: string): string {
  return decodeEntities(html.replace(/<(?:script|style)[\s\S]*?<\/(?:script|style)>|<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
}

/** Titles of the questions in a list, in order. */
export function titlesIn(html: string): string[] {
  return [...html.matchAll(/class="question-title"[^>]*>([\s\S]*?)<\/h\d>/g)].map((match) =>
    textOf(match[1] ?? ''),
  )
}

/** The target of a link with this `rel`; null: there is none. */
export function relIn(html: string, rel: string): string | null {
  const link = new RegExp(`<a [^>]*rel="${rel}"[^>]*>`).exec(html)?.[0] ?? ''
  const href = /href="([^"]*)"/.exec(link)?.[1]
  return href === undefined ? null : decodeEntities(href)
}

/** The value of a form's control; null: there is no such control. */
export function valueIn(html: string, name: string): string | null {
  const area = new RegExp(`<textarea[^>]* name="${name}"[^>]*>([^<]*)</textarea>`).exec(html)?.[1]
  // HTML drops the first line break of a textarea.
  if (area !== undefined) return decodeEntities(area).replace(/^\n/, '')
  const input = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(html)?.[0]
  if (input !== undefined) return decodeEntities(/ value="([^"]*)"/.exec(input)?.[1] ?? '')
  const select = new RegExp(`<select[^>]* name="${name}"[^>]*>([\\s\\S]*?)</select>`).exec(html)?.[1]
  return select === undefined ? null : (/<option value="([^"]*)" selected/.exec(select)?.[1] ?? '')
}

/** A page without its forms' tokens, which differ in every response. */
export function withoutTokens(html: string): string {
  return html.replaceAll(/ name="_csrf" value="[^"]*"/g, '')
}

/** A page without relative times, which change while a test runs. */
export function withoutAges(html: string): string {
  return html.replaceAll(
    /(?:<span class="digits" aria-hidden="true">)?(<time [^>]*>)[^<]*<\/time>(?:<\/span>)?(?:<span class="visually-hidden">[^<]*<\/span>)?/g,
    '$1',
  )
}

/** A page without its request id, which error pages show. */
export function withoutRequestId(html: string): string {
  return html.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
}

/** The element with this id, from its start tag to its end tag. Elements of the same name may be nested. */
export function elementIn(html: string, id: string): string {
  const begin = new RegExp(`<(\\w+)[^>]* id="${id}"`).exec(html)
  if (begin === null) return ''
  const tags = new RegExp(`<(/?)${begin[1]}\\b[^>]*>`, 'g')
  tags.lastIndex = begin.index
  let depth = 0
  for (const tag of html.matchAll(tags)) {
    if (tag.index < begin.index) continue
    depth += tag[1] === '/' ? -1 : 1
    if (depth === 0) return html.slice(begin.index, tag.index + tag[0].length)
  }
  return html.slice(begin.index)
}

function decodeEntities(text: string): string {
  const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', nbsp: '\u00a0' }
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return named[name] ?? whole
  })
}
