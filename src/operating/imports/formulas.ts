import { formulaAt } from '../../text/formulas/delimiters.ts'
import { literally } from './literally.ts'

/**
 * A formula of a dump as the forum writes it, on one line, so that none of its lines begins a list. Where the forum would not
 * take it for one, and where a comment in TeX ends with its line, it is shown as it was.
 * @param tex with its delimiters: `$…$`, `$$…$$`, `\\begin{…}…\\end{…}`
 * @param next the text after it. @param before the character before it, if any
 */
export function formulaOrText(tex: string, next: string, before: string): string {
  const [, dollars = '', inside = ''] = /^(\$\$?)([\s\S]*)\1$/.exec(tex) ?? ['', '$$', tex]
  if (/(?<!\\)%/.test(inside)) return literally(tex)
  const formula = dollars + inside.replace(/\s+/g, ' ').trim() + dollars
  const found = formulaAt(before + formula + next, before.length)
  return found?.end === before.length + formula.length ? formula : literally(tex)
}
