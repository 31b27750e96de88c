import { formulaAt } from '../../text/formulas/delimiters.ts'
import { literally } from './literally.ts'

interface Span {
  readonly start: number
  readonly end: number
}

const OPENING = /\$\$?|\\begin\{([\w*]{1,40})\}/g

/**
 * Converts formulas and the text between them separately. A formula is what MathJax recognizes on Stack Exchange sites:
 * `$…$`, `$$…$$`, `\begin{…}…\end{…}`, each with its delimiters. An opening delimiter that is never closed is text.
 * @param onTex told the next three characters of the text too, and the one before: as many as decide whether it is a formula
 */
export function mapTex(
  text: string,
  onTex: (tex: string, next: string, before: string) => string,
  onText: (text: string) => string,
): string {
  return mapSpans(text, texSpans(text), onTex, onText)
}

/** The same for inline code: from a run of backticks to the next one of the same length. */
export function mapCode(
  text: string,
  onCode: (code: string) => string,
  onText: (text: string) => string,
): string {
  return mapSpans(text, codeSpans(text), onCode, onText)
}

function mapSpans(
  text: string,
  spans: readonly Span[],
  inside: (text: string, next: string, before: string) => string,
  outside: (text: string) => string,
): string {
  let from = 0
  const pieces = spans.map(({ start, end }) => {
    const outer = outside(text.slice(from, start))
    from = end
    return outer + inside(text.slice(start, end), text.slice(end, end + 3), text.charAt(start - 1))
  })
  return pieces.join('') + outside(text.slice(from))
}

/** Linear: a delimiter once found to be unclosed is not searched for again. */
function texSpans(text: string): Span[] {
  const spans: Span[] = []
  const unclosed = new Set<string>()
  let from = 0
  for (const { 0: opening, 1: environment, index } of text.matchAll(OPENING)) {
    const closing = environment === undefined ? opening : `\\end{${environment}}`
    if (index < from || isDollar(text, index) || unclosed.has(closing)) continue
    const end = text.indexOf(closing, index + opening.length)
    if (end < 0) unclosed.add(closing)
    else {
      from = end + closing.length
      spans.push({ start: index, end: from })
    }
  }
  return spans
}

/** `\$` is a currency sign. */
function isDollar(text: string, index: number): boolean {
  return text[index] === '$' && text[index - 1] === '\\' && text[index - 2] !== '\\'
}

function codeSpans(text: string): Span[] {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: run, index }) => ({
    start: index,
    end: index + run.length,
  }))
  const partners = partnersOf(runs)
  const spans: Span[] = []
  for (let index = 0; index < runs.length; index += 1) {
    const [opening, closing = -1] = [runs[index], partners[index]]
    const end = runs[closing]?.end
    if (opening === undefined || end === undefined) continue
    spans.push({ start: opening.start, end })
    index = closing
  }
  return spans
}

/** For each run of backticks the position of the next one of its length. */
function partnersOf(runs: readonly Span[]): (number | undefined)[] {
  const nextOfLength = new Map<number, number>()
  const partners: (number | undefined)[] = []
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const { start = 0, end = 0 } = runs[index] ?? {}
    partners[index] = nextOfLength.get(end - start)
    nextOfLength.set(end - start, index)
  }
  return partners
}

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
