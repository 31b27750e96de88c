import { randomBytes } from 'node:crypto'
import type { ImportTally } from '../exchange/import-tally.ts'
import { mapProse } from '../exchange/prose.ts'
import { cleanText } from '../foreign/clean-text.ts'
import { isTooLong, verbatim } from '../foreign/long-text.ts'
import { decodeText, readDumpHtml } from './dump-html.ts'
import { postMarkdown } from './post-markdown.ts'

/** What links and pictures of a text lead to. */
export interface Leads {
  /** The address in the export (`exchange:question/12`) of what is linked; null: it is none of its posts. */
  link(href: string): string | null
  /** The address of a picture: in the export or elsewhere on the web; null: it is not there. */
  picture(src: string): string | null
}

/** Stands for `exchange:` while a text is converted: nobody can have written it. */
const STAND_IN = `https://${randomBytes(12).toString('hex')}.invalid/`
const EXCHANGE = 'exchange:'

/** TeX between `\(…\)` and `\[…\]`, which nothing else in HTML is. */
const BRACKETS = /\\\(((?:(?!\\\()[^<])+?)\\\)|\\\[((?:(?!\\\[)[^<])+?)\\\]/g
/** Code, from where its last element begins: what never ends is looked at once. */
export const CODE = /(<(?:pre|code)\b(?:(?!<(?:pre|code)\b)[\s\S])*?<\/(?:pre|code)>)/i

/**
 * The Markdown, as an export has it, of the HTML of another forum: with its formulas, languages of code, links and pictures. Links that
 * lead nowhere outside of that forum are words.
 */
export async function foreignHtml(html: string, leads: Leads, tally: ImportTally): Promise<string> {
  if (isTooLong(html)) {
    tally.note('texts that are too long to be read as markup: shown as they are written')
    return verbatim(html)
  }
  const parts = cleanText(html).split(CODE)
  const formulas = parts.map((part, index) => (index % 2 === 0 ? withDollars(part) : part)).join('')
  const led = readDumpHtml(formulas).replace(
    /(<a\b[^>]*? href=|<img\b[^>]*? src=)"([^"]*)"/g,
    (_, tag: string, address: string) => `${tag}"${ledTo(tag.startsWith('<a'), decodeText(address), leads)}"`,
  )
  const { columns, fidelity } = await postMarkdown(led, null)
  if (fidelity === 'near') tally.note('texts with words that Markdown cannot show as they were')
  return columns.body.replaceAll(STAND_IN, EXCHANGE)
}

const withDollars = (html: string) =>
  html.replace(BRACKETS, (_, inline: string | undefined, display: string | undefined) =>
    inline === undefined ? `$$${display?.trim()}$$` : `$${inline.trim()}$`,
  )

function ledTo(isLink: boolean, address: string, leads: Leads): string {
  const to = isLink ? leads.link(address) : leads.picture(address)
  const known = to ?? (isLink && /^(?:https?|mailto):/i.test(address) ? address : '')
  return known
    .replace(/^exchange:/, STAND_IN)
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Turns what names posts by a sign and a number (`#3`, `@6`) into links to them, outside of code.
 * @param markdown as foreignHtml makes it, or as somebody wrote it
 * @param addressOf the address in the export; null: no post has the number
 */
export function withReferences(
  markdown: string,
  sign: '#' | '@',
  addressOf: (number: string) => string | null,
): string {
  const pattern = new RegExp(
    String.raw`(?<![\p{L}\p{N}_/&\[\\]|\]\()\\?${sign}(\d{1,9})(?![\p{L}\p{N}_])(?![^\[\]\n]{0,200}\]\()`,
    'gu',
  )
  return mapProse(markdown, (prose) =>
    prose.replace(pattern, (written: string, number: string) => {
      const address = addressOf(number)
      return address === null ? written : `[${sign}${number}](${address})`
    }),
  )
}
