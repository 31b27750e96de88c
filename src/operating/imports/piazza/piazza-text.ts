import type { ImportTally } from '../../exchange/import-tally.ts'
import { addressOf } from '../../exchange/references.ts'
import { cleanLine, cut } from '../../foreign/clean-text.ts'
import { decodeText, readDumpHtml } from '../dump-html.ts'
import { CODE, foreignHtml, type Leads, withReferences } from '../foreign-html.ts'
import { foreignMarkdown } from '../foreign-markdown.ts'

const SITE = 'https://piazza.com'
/** A text that is Markdown as a whole. */
const MARKDOWN = /^(?:<p>)?\s*<md>([\s\S]*)<\/md>\s*(?:<\/p>)?$/i

/** What texts of a course lead to. */
interface Course {
  readonly tally: ImportTally
  /** The number of a question → its id. */
  readonly numbers: ReadonlyMap<number, string>
  /** A picture of a text, by its address. */
  picture(url: string): string
}

/** The Markdown of a text: HTML in which `$$…$$` are formulas in a line, or Markdown in `<md>`. */
export async function piazzaText(content: string, { tally, numbers, picture }: Course): Promise<string> {
  const leads: Leads = {
    link: (href) => (/^\/\w/.test(href) ? `${SITE}${href}` : null),
    picture: (src) => {
      const url = /^\/\w/.test(src) ? `${SITE}${src}` : src
      return /^https?:\/\//i.test(url) ? picture(url) : null
    },
  }
  const whole = MARKDOWN.exec(content.trim())?.[1] ?? null
  const markdown =
    whole === null || /<\/?md>/i.test(whole)
      ? await foreignHtml(formulasInLine(content.replace(/<\/?md>/gi, '')), leads, tally)
      : foreignMarkdown(formulasInLine(whole), leads)
  return withReferences(markdown, '@', (number) => {
    const id = numbers.get(Number(number))
    return id === undefined ? null : addressOf('question', id)
  })
}

/** As in the format. */
const MAX_TITLE = 4000

/** A title is plain, but for what HTML writes as a reference. */
export const piazzaTitle = (subject: string): string =>
  cut(cleanLine(decodeText(readDumpHtml(subject).replace(/<[^>]*>/g, ' '))), MAX_TITLE)

const formulasInLine = (text: string) =>
  text
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/\$\$([^$]+)\$\$/g, (_, tex: string) => `$${tex.trim()}$`),
    )
    .join('')
