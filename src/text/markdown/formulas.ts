import type { Env, MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import { formulaAt } from '../formulas/delimiters.ts'
import { mathmlOf } from '../formulas/mathml.ts'

/** Work that one post's formulas may cost, in characters: what temml reads, and what it writes. */
const MAX_WORK = 200_000
/** Characters counted for a formula that cannot be shown: temml worked for it and wrote nothing. */
const COST_OF_FAILURE = 2_000

/** Lines of one `$$` formula. */
const MAX_LINES = 100

/**
 * Formulas: `$…$` in a line, `$$…$$` on lines of their own. What is no formula, and what a post has too much of, is shown as
 * typed.
 */
export function showFormulas(markdown: MarkdownIt): void {
  const { block, inline, renderer } = markdown
  const { escapeHtml } = markdown.utils
  block.ruler.before('fence', 'formula', displayOnLines, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
  inline.ruler.before('emphasis', 'formula', inLine)
  renderer.rules.formula = (tokens, index, _options, env = {}) => {
    const { content = '', markup = '' } = tokens[index] ?? {}
    const isDisplay = markup === '$$'
    const mathml = withinBudget(content, isDisplay, env)
    if (mathml === null) return escapeHtml(markup + content + markup)
    return isDisplay ? `<span class="formula" tabindex="0">${mathml}</span>` : mathml
  }
  nameFormulas(markdown)
}

/** A formula in the name of a table or the words of a picture is its source. */
function nameFormulas({ renderer }: MarkdownIt): void {
  const asText = renderer.renderInlineAsText.bind(renderer)
  renderer.renderInlineAsText = (tokens, options, env) =>
    tokens
      .map((token) =>
        token.type === 'formula'
          ? token.markup + token.content + token.markup
          : asText([token], options, env),
      )
      .join('')
}

function inLine(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '$' || state.src[state.pos - 1] === '$') return false
  const found = formulaAt(state.src, state.pos)
  if (found === null || found.end > state.posMax) return false
  if (!silent) {
    const token = state.push('formula', '', 0)
    token.content = found.tex
    token.markup = found.isDisplay ? '$$' : '$'
  }
  state.pos = found.end
  return true
}

/** Lines from one that begins with `$$` to one that ends with it: Markdown does not read them. */
function displayOnLines(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  if (!lineOf(state, startLine).startsWith('$$')) return false
  const lines: string[] = []
  for (let line = startLine; line < Math.min(endLine, startLine + MAX_LINES); line += 1) {
    const text = lineOf(state, line)
    if (text === '' || (state.sCount[line] ?? 0) < state.blkIndent) return false
    lines.push(text)
    if (!text.endsWith('$$') || (line === startLine && text === '$$')) continue
    const whole = lines.join('\n')
    const found = formulaAt(whole, 0)
    if (found === null || found.end !== whole.length) return false
    if (!silent) pushDisplay(state, startLine, line + 1, found.tex)
    return true
  }
  return false
}

function pushDisplay(state: StateBlock, startLine: number, nextLine: number, tex: string): void {
  state.push('paragraph_open', 'p', 1).map = [startLine, nextLine]
  const text = state.push('inline', '', 0)
  text.content = `$$${tex}$$`
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
