import type TurndownService from 'turndown'
import { isAllowedLink } from '../../text/markdown/links.ts'
import { isInside } from './html-nodes.ts'
import { literally } from './literally.ts'

type Rules = Readonly<Record<string, TurndownService.Rule>>

/** Rules for a and img. */
export const linkRules: Rules = {
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
