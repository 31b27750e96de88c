import type TurndownService from 'turndown'

type Rules = Readonly<Record<string, TurndownService.Rule>>

/** Rules for line breaks, headings, list items and code. Turndown itself has paragraphs, quotes and rules. */
export const blockRules: Rules = {
  lineBreak: {
    filter: 'br',
    replacement: (_content, node) => {
      if (isInside(node, ['TD', 'TH', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6'])) return ' '
      return isLastInLine(node) ? '' : '\\\n'
    },
  },
  heading: {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, node) =>
      `\n\n${'#'.repeat(Number(node.nodeName.charAt(1)))} ${content.replace(/\s*\n\s*/g, ' ').trim()}\n\n`,
  },
  listItem: { filter: 'li', replacement: listItem },
  codeBlock: { filter: 'pre', replacement: (_content, node) => codeBlock(node) },
  code: { filter: ['code', 'kbd'], replacement: (_content, node) => codeInLine(node) },
}

/** What was found for one of a row of empty elements holds for the others, so that each is passed once. */
const lastInLine = new WeakMap<Node, boolean>()

function isLastInLine(node: HTMLElement): boolean {
  const passed: Node[] = [node]
  let found = lastInLine.get(node)
  for (let next = node.nextSibling; next !== null && found === undefined; next = next.nextSibling) {
    if ((next.textContent ?? '').trim() !== '' || next.nodeName === 'IMG') found = isBlock(next)
    else {
      found = lastInLine.get(next)
      passed.push(next)
    }
  }
  const parent = node.parentElement
  const isLast = found ?? (parent === null || isBlock(parent) || isLastInLine(parent))
  for (const one of passed) lastInLine.set(one, isLast)
  return isLast
}

function listItem(content: string, node: HTMLElement): string {
  const marker = markerOf(node)
  const isLoose = /\n$/.test(content)
  const lines = content.replace(/^\n+|\n+$/g, '').replaceAll('\n', `\n${' '.repeat(marker.length)}`)
  const end = node.nextElementSibling === null ? '' : isLoose ? '\n\n' : '\n'
  return `${marker}${lines.replace(/^[ \t]+$/gm, '')}${end}`
}

/** Adjacent lists would merge, so every second of them uses another marker. */
function markerOf(item: HTMLElement): string {
  const list = item.parentElement
  const isSecond = list?.previousElementSibling?.nodeName === list?.nodeName && list !== null
  if (list?.nodeName !== 'OL') return isSecond ? '* ' : '- '
  const first = Number(list.getAttribute('start') ?? 1) || 1
  return `${Math.max(0, first) + placeOf(item)}${isSecond ? ')' : '.'} `
}

const places = new WeakMap<Element, number>()

/** How many elements are before it, which were asked for in their order. */
function placeOf(item: Element): number {
  let [before, count] = [item.previousElementSibling, 0]
  for (; before !== null && !places.has(before); before = before.previousElementSibling) count += 1
  const place = count + (before === null ? 0 : (places.get(before) ?? 0) + 1)
  places.set(item, place)
  return place
}

/** A code block verbatim, in a fence longer than any inside it, with its language where the dump names it. */
function codeBlock(node: HTMLElement): string {
  const code = (node.textContent ?? '').replace(/\n$/, '')
  const longest = Math.max(2, ...Array.from(code.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `\n\n${fence}${languageOf(node)}\n${code}\n${fence}\n\n`
}

function languageOf(pre: HTMLElement): string {
  const classes = `${pre.getAttribute('class') ?? ''} ${pre.firstElementChild?.getAttribute('class') ?? ''}`
  const language = /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,40})/.exec(classes)?.[1] ?? ''
  return ['none', 'default'].includes(language) ? '' : language
}

/** Inline code elements. A space between two adjacent ones separates their backticks. */
const CODE = new Set(['CODE', 'KBD'])

function codeInLine(node: HTMLElement): string {
  const text = (node.textContent ?? '').replace(/\s+/g, ' ')
  if (text.trim() === '') return text
  const runs = new Set(Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  let length = 1
  while (runs.has(length)) length += 1
  const fence = '`'.repeat(length)
  const space = /^`|`$|^ .* $/.test(text) ? ' ' : ''
  const apart = CODE.has(node.nextSibling?.nodeName ?? '') ? ' ' : ''
  return `${fence}${space}${text}${space}${fence}${apart}`
}

/** Rules for GitHub's tables: one line per row, the first row is the header. */
export const tableRules: Rules = {
  cell: {
    filter: ['td', 'th'],
    replacement: (content) => ` ${content.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')} |`,
  },
  row: {
    filter: 'tr',
    replacement: (content, node) => `|${content.replaceAll('\n', ' ')}\n${isHead(node) ? heads(node) : ''}`,
  },
  part: { filter: ['thead', 'tbody'], replacement: (content) => content },
  table: {
    filter: 'table',
    replacement: (content) => `\n\n${content.replace(/\n{2,}/g, '\n').trim()}\n\n`,
  },
}

function isHead(row: HTMLElement): boolean {
  const part = row.parentElement
  const isFirst = row.previousElementSibling === null
  return isFirst && (part?.nodeName === 'TABLE' || part?.previousElementSibling === null)
}

/** The line below the header, which sets the columns' alignment. */
function heads(row: HTMLElement): string {
  return `|${Array.from(row.children, (cell) => ` ${lineOf(cell.getAttribute('style') ?? '')} |`).join('')}\n`
}

function lineOf(style: string): string {
  const align = /text-align:\s*(left|right|center)/.exec(style)?.[1]
  if (align === 'left') return ':---'
  if (align === 'right') return '---:'
  return align === 'center' ? ':---:' : '---'
}

const BLOCKS = new Set(
  `P DIV HR H1 H2 H3 H4 H5 H6 BLOCKQUOTE UL OL LI DL DT DD PRE TABLE THEAD TBODY TR TH TD X-TURNDOWN`.split(
    ' ',
  ),
)

/** Whether an element is a block, which ends a line of running text. */
export function isBlock(node: Node): boolean {
  return BLOCKS.has(node.nodeName)
}

/** The nearest ancestor of a node with one of these names. */
export function isInside(node: Node, names: readonly string[]): boolean {
  for (let parent = node.parentNode; parent !== null; parent = parent.parentNode) {
    if (names.includes(parent.nodeName)) return true
  }
  return false
}
