import type TurndownService from 'turndown'

type Rules = Readonly<Record<string, TurndownService.Rule>>

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
