import type { Env, MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import { type FoundFormula, formulaAt, MAX_LENGTH } from '../formulas/delimiters.ts'
import { mathmlOf } from '../formulas/mathml.ts'

/** Work that one post's formulas may cost, in characters: what temml reads, and what it writes. */
const MAX_WORK = 200_000
/** Characters counted for a formula that cannot be shown: temml worked for it and wrote nothing. */
const COST_OF_FAILURE = 2_000

/** Lines of one formula that stands on lines of its own. */
const MAX_LINES = 100

/**
 * Formulas: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` on lines of their own, and code of the language
 * `math`. What is no formula, and what a post has too much of, is shown as typed.
 */
export function showFormulas(markdown: MarkdownIt): void {
  const { block, inline, renderer } = markdown
  const { escapeHtml } = markdown.utils
  block.ruler.before('fence', 'formula', displayOnLines, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
  // Before a backslash escapes what follows it.
  inline.ruler.before('escape', 'formula', inLine)
  renderer.rules.formula = (tokens, index, _options, env = {}) => {
    const { content = '', markup = '', info = '', block: isDisplay = false } = tokens[index] ?? {}
    const mathml = withinBudget(content, isDisplay, env)
    if (mathml === null) return escapeHtml(markup + content + info)
    return isDisplay ? display(mathml) : mathml
  }
  showFences(markdown)
  nameFormulas(markdown)
}

function display(mathml: string): string {
  return `<span class="formula" tabindex="0">${mathml}</span>`
}

/** Code of the language `math`; what is no formula stays code. */
function showFences({ renderer }: MarkdownIt): void {
  const { fence } = renderer.rules
  renderer.rules.fence = (tokens, index, options, env = {}, self) => {
    const { content = '', info = '' } = tokens[index] ?? {}
    const tex = content.trim()
    const isFormula = info.trim().toLowerCase() === 'math' && tex !== '' && tex.length <= MAX_LENGTH
    const mathml = isFormula ? withinBudget(tex, true, env) : null
    if (mathml !== null) return `<p>${display(mathml)}</p>\n`
    return fence?.(tokens, index, options, env, self) ?? ''
  }
}

/** A formula in the name of a table or the words of a picture is its source; a backslash escapes there. */
function nameFormulas({ renderer }: MarkdownIt): void {
  const asText = renderer.renderInlineAsText.bind(renderer)
  renderer.renderInlineAsText = (tokens, options, env) =>
    tokens
      .map((token) =>
        token.type === 'formula'
          ? (token.markup + token.content + token.info).replace(/^\\(.*)\\(.)$/s, '$1$2')
          : asText([token], options, env),
      )
      .join('')
}

function inLine(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state
  if (src[pos] !== '\\' && (src[pos] !== '$' || src[pos - 1] === '$')) return false
  const found = formulaAt(src, pos)
  if (found === null || found.end > state.posMax) return false
  if (!silent) {
    const token = state.push('formula', '', 0)
    token.content = found.tex
    token.markup = found.opening
    token.info = found.closing
    token.block = found.isDisplay
  }
  state.pos = found.end
  return true
}

/** Lines from one that begins with `$$` or `\\[` to one that ends with its closing one: Markdown does not read them. */
function displayOnLines(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  const opening = lineOf(state, startLine).slice(0, 2)
  if (opening !== '$$' && opening !== '\\[') return false
  const closing = opening === '$$' ? '$$' : '\\]'
  const lines: string[] = []
  for (let line = startLine; line < Math.min(endLine, startLine + MAX_LINES); line += 1) {
    const text = lineOf(state, line)
    if (text === '' || (state.sCount[line] ?? 0) < state.blkIndent) return false
    lines.push(text)
    if (!text.endsWith(closing) || (line === startLine && text === opening)) continue
    const whole = lines.join('\n')
    const found = formulaAt(whole, 0)
    if (found === null || found.end !== whole.length) return false
    if (!silent) pushDisplay(state, startLine, line + 1, found)
    return true
  }
  return false
}

function pushDisplay(state: StateBlock, startLine: number, nextLine: number, found: FoundFormula): void {
  state.push('paragraph_open', 'p', 1).map = [startLine, nextLine]
  const text = state.push('inline', '', 0)
  text.content = found.opening + found.tex + found.closing
  text.map = [startLine, nextLine]
  text.children = []
  state.push('paragraph_close', 'p', -1)
  state.line = nextLine
}

function lineOf(state: StateBlock, line: number): string {
  const from = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  return state.src.slice(from, state.eMarks[line]).trimEnd()
}

/** Renders a formula if the post has work left for it, and counts the work. */
function withinBudget(tex: string, isDisplay: boolean, env: Env): string | null {
  const done = Number(env.formulaWork ?? 0)
  if (done > MAX_WORK) return null
  const mathml = mathmlOf(tex, isDisplay)
  env.formulaWork = done + tex.length + (mathml?.length ?? COST_OF_FAILURE)
  return mathml
}
