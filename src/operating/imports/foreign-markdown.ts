import { mapProse } from '../exchange/prose.ts'
import { cleanText } from '../foreign/clean-text.ts'
import type { Leads } from './foreign-html.ts'

const LINK =
  /(?<!\\)(?<sign>!?)\[(?<words>(?:\\.|[^\\[\]\n])*)\]\(<?(?<address>[^\s()<>]+)>?(?<title>(?:\s+"[^"\n]*")?)\)/g

/** Markdown of another forum as an export has it: links lead where they should, and its own addresses of the format nowhere. */
export function foreignMarkdown(markdown: string, leads: Leads): string {
  return mapProse(cleanText(markdown).trim(), (prose) =>
    prose.replace(/\bexchange:/gi, String.raw`exchange\:`).replace(LINK, (...match: unknown[]) => {
      const found = match.at(-1) as Readonly<Record<string, string>>
      const { sign = '', words = '', address = '', title = '' } = found
      if (sign === '!') {
        const picture = leads.picture(address)
        return picture === null ? words : `![${words}](${picture}${title})`
      }
      const to = leads.link(address) ?? (/^(?:https?|mailto):/i.test(address) ? address : null)
      return to === null ? words : `[${words}](${to}${title})`
    }),
  )
}
