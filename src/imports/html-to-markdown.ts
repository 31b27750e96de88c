import TurndownService from 'turndown'
import { decodeText } from './dump-html.ts'
import { literally } from './literally.ts'
import { blockRules } from './markdown-blocks.ts'
import { emphasisRules } from './markdown-emphasis.ts'
import { linkRules } from './markdown-links.ts'
import { tableRules } from './markdown-tables.ts'
import { mapTex } from './tex.ts'

const CODE = new Set(['pre', 'code', 'kbd'])
/** Around the number of a formula, while it stands in its place: characters for private use, which no post needs. */
const PLACE = /\uE000(\d+)\uE001/

/**
 * Markdown that the forum shows as the HTML looks: words, code and TeX just the same, every mark that Markdown has.
 * @param html made by readDumpHtml
 */
export function htmlToMarkdown(html: string): string {
  const formulas: string[] = []
  const prepared = PLACE.test(html) ? html : putFormulasAside(html, formulas)
  return converter(formulas).turndown(prepared)
}

function converter(formulas: readonly string[]): TurndownService {
  const service = new TurndownService({
    bulletListMarker: '-',
    hr: '---',
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
  })
  const rules = { ...emphasisRules, ...linkRules, ...blockRules, ...tableRules }
  for (const [name, rule] of Object.entries(rules)) service.addRule(name, rule)
  service.escape = (text) =>
    text
      .split(PLACE)
      .map((part, index) =>
        literally(index % 2 === 0 ? part : (formulas[Number(part)] ?? `\uE000${part}\uE001`)),
      )
      .join('')
  return service
}

/** Blanks in running text become one, but a formula keeps its lines, so it is put aside. Code holds no formulas. */
function putFormulasAside(html: string, formulas: string[]): string {
  let codeDepth = 0
  return html.replace(
    /<(\/?)(\w+)[^>]*>|[^<]+/g,
    (piece, slash: string | undefined, name: string | undefined) => {
      if (name === undefined) return codeDepth > 0 ? piece : withPlaces(piece, formulas)
      if (CODE.has(name)) codeDepth += slash === '' ? 1 : -1
      return piece
    },
  )
}

function withPlaces(text: string, formulas: string[]): string {
  return mapTex(
    text,
    (tex) => `\uE000${formulas.push(decodeText(tex)) - 1}\uE001`,
    (words) => words,
  )
}
