import { decodeText, readDumpHtml } from '../../operating/imports/dump-html.ts'
import { dumpRows } from '../../operating/imports/dump-rows.ts'
import { formulaOrText } from '../../operating/imports/formulas.ts'
import { htmlToMarkdown } from '../../operating/imports/html-to-markdown.ts'
import { mapTex } from '../../operating/imports/tex.ts'
import { formulaAt } from '../../text/formulas/delimiters.ts'
import { mathmlOf } from '../../text/formulas/mathml.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { row, table } from '../../text/markdown-table.ts'

const CODE = /<(pre|code|kbd)\b[^>]*>.*?<\/\1>/gs

/** Formulas that are shown as source, by the reason. */
type Reasons = Map<string, { count: number; readonly example: string }>

/**
 * How many formulas of a dump's questions and answers the forum shows as formulas, as a section of Markdown.
 * @param file Posts.xml of a dump
 */
export async function formulaSection(file: string): Promise<string> {
  const reasons: Reasons = new Map()
  let [posts, formulas, shown] = [0, 0, 0]
  for await (const post of dumpRows(file, 'posts')) {
    if (!['1', '2'].includes(post.requiredText('PostTypeId'))) continue
    const html = readDumpHtml(post.requiredText('Body'))
    posts += 1
    const [text] = await prepareMarkdown([htmlToMarkdown(html)])
    shown += text.html.split('<math').length - 1
    for (const piece of html.replace(CODE, '').split(/<[^>]*>/))
      formulas += examine(decodeText(piece), reasons)
  }
  return reportOf({ posts, formulas, shown, reasons })
}

/** Counts the formulas of a text, and notes why some are none. */
function examine(text: string, reasons: Reasons): number {
  let formulas = 0
  mapTex(
    text,
    (tex, next, before) => {
      formulas += 1
      const reason = reasonFor(tex, next, before)
      if (reason === null) return tex
      const known = reasons.get(reason) ?? { count: 0, example: tex }
      known.count += 1
      reasons.set(reason, known)
      return tex
    },
    (words) => words,
  )
  return formulas
}

/** Why a formula is shown as its source; null when it is shown as a formula. */
function reasonFor(tex: string, next: string, before: string): string | null {
  const formula = formulaAt(formulaOrText(tex, next, before), 0)
  if (formula === null) return 'a word is beside it, braces do not match, or a comment is in it'
  if (mathmlOf(formula.tex, formula.isDisplay) !== null) return null
  if (/\\(?:def|newcommand|renewcommand|let)(?![A-Za-z])/.test(tex)) return 'it defines a command'
  return 'a command is unknown, or TeX itself would refuse it'
}

function reportOf(found: { posts: number; formulas: number; shown: number; reasons: Reasons }): string {
  const { posts, formulas, shown, reasons } = found
  const share = ((100 * shown) / formulas).toFixed(2)
  const rows = [...reasons]
    .toSorted(([, one], [, other]) => other.count - one.count)
    .map(([reason, { count, example }]) => row(reason, count, `\`${inCell(example)}\``))
  const result = `${formulas} formulas in ${posts} questions and answers; ${shown} are shown as formulas (${share} %).`
  return [result, table(['shown as source because', 'formulas', 'one of them'], rows)].join('\n\n')
}

function inCell(tex: string): string {
  return tex.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 70)
}
