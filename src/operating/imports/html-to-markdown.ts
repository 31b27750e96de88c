import TurndownService from 'turndown'
import { blockRules, tableRules } from './block-rules.ts'
import { decodeText } from './dump-html.ts'
import { emphasisRules, linkRules } from './inline-rules.ts'
import { literally } from './literally.ts'
import { formulaOrText, mapTex } from './tex.ts'

const CODE = new Set(['pre', 'code', 'kbd'])
/** Delimit the number of a formula in its placeholder: private-use characters, which no post needs. */
const PLACEHOLDER = /\uE000(\d+)\uE001/

/**
 * Converts HTML to Markdown that the forum renders alike: the same words, code and TeX, and all markup that Markdown
 * has.
 * @param html from readDumpHtml
 */
export function htmlToMarkdown(html: string): string {
  const formulas: string[] = []
  const prepared = PLACEHOLDER.test(html) ? html : putFormulasAside(html, formulas)
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
      .split(PLACEHOLDER)
      .map((part, index) =>
        index % 2 === 0 ? literally(part) : (formulas[Number(part)] ?? literally(`\uE000${part}\uE001`)),
      )
      .join('')
  return service
}

/**
 * Collapses white space in running text. Placeholders stand for formulas, which are written as they are. Code holds no
 * formulas.
 */
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
    (tex, next, before) => `\uE000${formulas.push(formulaOrText(decodeText(tex), next, before)) - 1}\uE001`,
    (words) => words,
  )
}
