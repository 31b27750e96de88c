import { WORDS } from '../exchange/imported-text.ts'
import { mapProse } from '../exchange/prose.ts'
import { cleanText } from '../foreign/clean-text.ts'
import { isTooLong, verbatim } from '../foreign/long-text.ts'
import type { Leads } from './foreign-html.ts'

/** An address as Markdown has it, in a link: in angle brackets, or with brackets in pairs. */
const TARGET = String.raw`<[^<>\n]*>|[^\s()<>\uE000]*(?:\([^\s()<>]*\)[^\s()<>]*)*`
const LINK = new RegExp(
  [
    String.raw`(?<!\\)(?<sign>!?)\[(?<words>${WORDS})\]\(\s*(?!\s)(?<target>${TARGET})(?<title>(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?)\s*\)`,
    String.raw`(?<=^ {0,3}\[[^[\]\n]{1,200}\]:[ \t]{0,9})(?<below><[^<>\n]*>|[^\s<>\uE000]+)`,
    String.raw`<(?<inside>https?://[^\s<>]+)>`,
    String.raw`(?<![(<"/\w])(?<bare>https?://[^\s()<>\]"\uE000]+)`,
  ].join('|'),
  'gim',
)

/** What ends a sentence rather than an address. */
const SENTENCE_END = /[.,;:!?'"*_]+$/

/** Where something leads to in an export, as written, or null: nowhere, so that its words are what is left. */
type Leading = (address: string, isPicture: boolean) => string | null

/**
 * A Markdown text whose links and pictures lead where they are told, outside of code.
 * @returns links that lead where they did as they were written
 */
export function withLinks(markdown: string, leading: Leading): string {
  return mapProse(markdown, (prose) =>
    prose.replace(LINK, (written: string, ...rest: unknown[]) =>
      led(written, rest.at(-1) as Readonly<Record<string, string | undefined>>, leading),
    ),
  )
}

function led(written: string, found: Readonly<Record<string, string | undefined>>, leading: Leading): string {
  const { sign, words, target = '', title = '', below, inside, bare = '' } = found
  if (words !== undefined) {
    const shown = words.includes('](') ? withPictures(words, leading) : words
    const to = leading(bareAddress(target), sign === '!')
    if (to === null) return shown
    return to === bareAddress(target) && shown === words ? written : `${sign}[${shown}](${to}${title})`
  }
  if (below !== undefined) {
    const to = leading(bareAddress(below), false)
    return to === bareAddress(below) ? below : (to ?? '#')
  }
  const end = inside === undefined ? (SENTENCE_END.exec(bare)?.[0] ?? '') : ''
  const address = inside ?? bare.slice(0, bare.length - end.length)
  const to = leading(address, false)
  if (to === null || to === address) return written
  return `[#${/\d+$/.exec(to)?.[0] ?? ''}](${to})${end}`
}

/** The words of a link: no other link is in them. */
const withPictures = (words: string, leading: Leading) =>
  words.replace(LINK, (written: string, ...rest: unknown[]) => {
    const found = rest.at(-1) as Readonly<Record<string, string | undefined>>
    return found.sign === '!' ? led(written, found, leading) : written
  })

const bareAddress = (target: string) => target.replace(/^<(.*)>$/, '$1')

/**
 * The Markdown of another forum as an export has it. Links to its posts lead to them; those that lead nowhere outside of it are words. The
 * few HTML tags that have a form in Markdown get it, others are text.
 */
export function foreignMarkdown(markdown: string, leads: Leads): string {
  if (isTooLong(markdown)) return verbatim(markdown)
  const source = mapProse(cleanText(markdown), (prose) =>
    withoutTags(prose).replace(/(?<=\]\(\s*<?)exchange:/gi, TYPED),
  )
  return withLinks(source.replace(/^(?:[ \t]*\n)+/, '').trimEnd(), (address, isPicture) => {
    if (address.startsWith(TYPED)) return null
    if (isPicture) return leads.picture(address)
    return leads.link(address) ?? (/^(?:https?|mailto):/i.test(address) ? address : null)
  })
}

/** Nobody there can lead to what an export has: an address of one that somebody typed leads nowhere. */
const TYPED = 'typed-exchange:'

const PAIRS: Readonly<Record<string, string>> = {
  ...{ b: '**', strong: '**', i: '*', em: '*', s: '~~', del: '~~', strike: '~~' },
  ...{
    kbd: '',
    u: '',
    ins: '',
    mark: '',
    sub: '',
    sup: '',
    small: '',
    big: '',
    span: '',
    div: '',
    center: '',
  },
  ...{ p: '', details: '', summary: '', aside: '' },
}
const TAG = new RegExp(
  [
    '<!--[^<>]{0,1000}-->',
    String.raw`<(?<picture>img)\b(?<attributes>[^<>]{0,2000})>`,
    String.raw`<a\s(?<link>[^<>]{0,2000})>(?<words>[^<>]{0,1000})</a>`,
    '<br ?/?>',
    String.raw`</?(?<name>${Object.keys(PAIRS).join('|')})(?:\s[^<>]{0,1000})?>`,
  ].join('|'),
  'gi',
)

function withoutTags(prose: string): string {
  return prose.replace(TAG, (written: string, ...rest: unknown[]) => {
    const found = rest.at(-1) as Readonly<Record<string, string | undefined>>
    const { attributes, link, words = '', name } = found
    if (attributes !== undefined)
      return `![${attribute(attributes, 'alt').replace(/[[\]]/g, '')}](${target(attribute(attributes, 'src'))})`
    if (link !== undefined) return `[${words}](${target(attribute(link, 'href'))})`
    if (name !== undefined) return PAIRS[name.toLowerCase()] ?? written
    return written.startsWith('<br') ? ' ' : ''
  })
}

const attribute = (attributes: string, name: 'src' | 'alt' | 'href') =>
  new RegExp(String.raw`(?:^|\s)${name}\s*=\s*(?:"([^"]*)"|'([^']*)')`, 'i')
    .exec(attributes)
    ?.slice(1)
    .find(Boolean) ?? ''

const target = (address: string) => (/[\s()]/.test(address) ? `<${address}>` : address)
