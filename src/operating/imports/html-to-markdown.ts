import TurndownService from 'turndown'
import { isAllowedLink } from '../../text/markdown/links.ts'
import { literally } from '../foreign/literally.ts'
import { formulaOrText, mapTex } from '../foreign/tex.ts'
import { blockRules, isBlock, isInside, tableRules } from './block-rules.ts'
import { decodeText } from './dump-html.ts'

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

type Rules = Readonly<Record<string, TurndownService.Rule>>

/** Rules for em, strong and s, and for what Markdown lacks: superscript, subscript, keys. */
const emphasisRules: Rules = {
  em: {
    filter: 'em',
    replacement: (content, node) => emphasized(content, node, { usual: '_', other: '*', inWords: '*' }),
  },
  strong: {
    filter: 'strong',
    replacement: (content, node) => emphasized(content, node, { usual: '**', other: '__', inWords: '**' }),
  },
  strike: {
    filter: 's',
    replacement: (content, node) => emphasized(content, node, { usual: '~~', other: '', inWords: '~~' }),
  },
  sup: { filter: 'sup', replacement: (content, node) => raised(node, SUPERSCRIPTS) ?? content },
  sub: { filter: 'sub', replacement: (content, node) => raised(node, SUBSCRIPTS) ?? content },
}

interface Marks {
  readonly usual: string
  /** The delimiter inside or directly after emphasis of the same kind; '': there is none. */
  readonly other: string
  /** The delimiter that also works beside letters. */
  readonly inWords: string
}

const WORD = /[^\s\p{P}\p{S}\uE000\uE001]/u
/** Punctuation that may move outside the emphasis. */
const TRAILING = /^(.*[^\\\p{P}\p{S}\s])([.,:;!?"'’”…]+)$/su
const LEADING = /^(["'‘“(]+)([^\\\p{P}\p{S}\s].*)$/su

/**
 * Adds delimiters that CommonMark will recognize: a closing one after punctuation must not touch a word, as in
 * `**Note:**this`, nor the mirror image; `_` must not touch a word at all; and neither may have white space inside.
 */
function emphasized(content: string, node: HTMLElement, marks: Marks): string {
  if (/\n\s*\n/.test(content)) return content
  const end = /(?:\s|\\\n)+$/.exec(content)?.[0] ?? ''
  const words = content.slice(0, content.length - end.length).trimStart()
  if (words === '') return content
  const start = content.slice(0, content.length - end.length - words.length)
  const isBeforeWord = end === '' && WORD.test(characterBeside(node, 'next'))
  const isBehindWord = start === '' && WORD.test(characterBeside(node, 'previous'))
  const [, head = '', rest = words] = (isBehindWord && LEADING.exec(words)) || []
  const [, middle = rest, tail = ''] = (isBeforeWord && TRAILING.exec(rest)) || []
  if (isBehindWord && !WORD.test(middle.charAt(0))) return content
  if (isBeforeWord && !WORD.test(middle.charAt(middle.length - 1))) return content
  const mark = isBeforeWord || isBehindWord ? marks.inWords : isOther(node) ? marks.other : marks.usual
  return `${start}${head}${mark}${middle}${mark}${tail}${end}`
}

/** Inside or directly after emphasis of the same kind, where the usual delimiter would close or extend it. */
function isOther(node: HTMLElement): boolean {
  return node.previousSibling?.nodeName === node.nodeName || isInside(node, [node.nodeName])
}

/** The character beside an element; '' at the end of a block or line, a punctuation mark for other markup. */
function characterBeside(node: HTMLElement, side: 'next' | 'previous'): string {
  const text = node.textContent ?? ''
  if (/\s/.test(text.charAt(side === 'next' ? text.length - 1 : 0))) return ''
  const sibling = side === 'next' ? node.nextSibling : node.previousSibling
  if (sibling === null)
    return isWithoutMarks(node.parentElement) ? characterBeside(node.parentElement, side) : ''
  if (sibling.nodeType === node.TEXT_NODE) {
    const beside = Array.from(sibling.nodeValue ?? '')
    return (side === 'next' ? beside[0] : beside.at(-1)) ?? ''
  }
  return sibling.nodeName === 'BR' || isBlock(sibling) ? '' : '*'
}

/** Elements without Markdown of their own: their neighbours are neighbours of their words. */
function isWithoutMarks(node: HTMLElement | null): node is HTMLElement {
  return node !== null && (node.nodeName === 'SUP' || node.nodeName === 'SUB')
}

const SUPERSCRIPTS = scriptOf(
  '0123456789+-=()niabcdefghjklmoprstuvwxyz',
  '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ',
)
const SUBSCRIPTS = scriptOf('0123456789+-=()aehijklmnoprstuvx', '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ')
/** Longer text is small print rather than an exponent. */
const MAX_SCRIPT_LENGTH = 12

/** The text in Unicode's superscript or subscript characters, if it is short and has one for each character. */
function raised(node: HTMLElement, characters: ReadonlyMap<string, string>): string | null {
  const text = (node.textContent ?? '').trim()
  const all = Array.from(text, (character) => characters.get(character))
  const isComplete =
    node.children.length === 0 &&
    all.length <= MAX_SCRIPT_LENGTH &&
    all.every((character) => character !== undefined)
  return isComplete ? all.join('') : null
}

function scriptOf(plain: string, script: string): ReadonlyMap<string, string> {
  const characters = Array.from(script)
  return new Map(Array.from(plain, (character, index) => [character, characters[index] ?? character]))
}

const linkRules: Rules = {
  link: {
    filter: 'a',
    replacement: (content, node) => (content.trim() === '' ? content : link(content, node)),
  },
  picture: {
    filter: 'img',
    replacement: (_content, node) => {
      const address = addressOf(node.getAttribute('src'))
      const words = literally(oneLine(node.getAttribute('alt')))
      if (address === null) return words
      return `![${words}](${destination(address)}${titlePart(node)})`
    },
  },
}

function link(content: string, node: HTMLElement): string {
  const typed = node.getAttribute('href')
  const address = addressOf(typed)
  if (address === null) return /^ftp:/.test(typed ?? '') ? `${content} (${literally(typed ?? '')})` : content
  const isBare =
    node.textContent === address && /^https?:[^\s<>]+$/.test(address) && node.children.length === 0
  if (isBare) return `<${address}>`
  return `[${content.trim()}](${destination(address)}${titlePart(node)})`
}

/** The target of a link: the old site's tag pages become the course's; other relative URLs are dropped. */
function addressOf(typed: string | null): string | null {
  const address = (typed ?? '').trim().replace(/^\/\/(?=[^/])/, 'https://')
  const tag = /^\/questions\/tagged\/([^/?#]+)$/.exec(address)?.[1]
  if (tag !== undefined) return `/tags/${tag}`
  return /^(?:https?|mailto):/i.test(address) && isAllowedLink(address) ? address : null
}

/** Spaces and unmatched brackets would end a destination. */
function destination(address: string): string {
  const encoded = address.replace(/[\s<>]/g, encodeURIComponent).replace(/&(?=#?\w+;)/g, '\\&')
  return hasPairs(encoded) ? encoded : encoded.replaceAll('(', '%28').replaceAll(')', '%29')
}

function hasPairs(address: string): boolean {
  let depth = 0
  for (const character of address) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

/** Titles that Stack Exchange generated say nothing here. */
function titlePart(node: HTMLElement): string {
  const title = oneLine(node.getAttribute('title'))
  if (title === '' || isInside(node, ['A']) || /^show questions tagged /.test(title)) return ''
  return ` "${literally(title).replaceAll('"', '\\"')}"`
}

function oneLine(text: string | null): string {
  return (text ?? '').replace(/\s+/g, ' ').trim()
}
