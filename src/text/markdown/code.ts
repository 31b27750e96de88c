import type { Env, MarkdownIt } from 'markdown-it'
import { type CodeInfo, isCode, readCodeInfo } from './code-info.ts'
import { inLines } from './code-lines.ts'
import { detectAndHighlight, highlight } from './highlighter.ts'

/**
 * Maximum characters of highlighted code per post: grammars take far longer than Markdown, especially on hostile input.
 */
const MAX_HIGHLIGHTED = 6_000
/** The same for code whose language is not given: several grammars read it. */
const MAX_DETECTED = 1_500

/** Longer blocks are folded: a reader sees their beginning, and opens them. */
const MAX_UNFOLDED_LINES = 40

/**
 * Code blocks: focusable, so that a keyboard can scroll them (WCAG 2.1.1); highlighted in their language, which is detected
 * when none is given; with marked and numbered lines where the fence asks for them; folded when long.
 */
export function showCode(markdown: MarkdownIt): void {
  const { rules } = markdown.renderer
  const { escapeHtml, unescapeAll } = markdown.utils

  const block = (code: string, info: CodeInfo, env: Env) => {
    const coloured = colouredCode(code, info.language, env) ?? escapeHtml(code)
    const isInLines = info.isNumbered || info.marked.length > 0
    const numbered = info.isNumbered ? ' class="numbered"' : ''
    const html = `<pre tabindex="0"><code${numbered}>${isInLines ? inLines(coloured, info) : coloured}</code></pre>`
    return `${folded(html, code.split('\n').length - 1)}\n`
  }

  rules.code_block = (tokens, index, _options, env = {}) =>
    block(tokens[index]?.content ?? '', readCodeInfo(''), env)

  rules.fence = (tokens, index, _options, env = {}) => {
    const { content = '', info = '' } = tokens[index] ?? {}
    if (isCode(info)) return block(`${info.trim()}\n${content}`, readCodeInfo(''), env)
    return block(content, readCodeInfo(unescapeAll(info)), env)
  }
}

function colouredCode(code: string, language: string, env: Env): string | null {
  if (language !== '')
    return takes(env, 'highlighted', code, MAX_HIGHLIGHTED) ? highlight(code, language) : null
  return takes(env, 'detected', code, MAX_DETECTED) ? detectAndHighlight(code) : null
}

/** Whether the post's share of a work allows this code; if so, its characters are counted. */
function takes(env: Env, work: 'highlighted' | 'detected', code: string, max: number): boolean {
  const done = Number(env[work] ?? 0) + code.length
  if (done > max) return false
  env[work] = done
  return true
}

/** The summary is the number of lines alone: the style sheet says "lines" in the reader's language. */
function folded(html: string, lines: number): string {
  if (lines <= MAX_UNFOLDED_LINES) return html
  return `<details class="fold"><summary>${lines}</summary>${html}</details>`
}
