import type { Env, MarkdownIt } from 'markdown-it'
import { detectAndHighlight, highlight, isLanguage } from './highlighter.ts'

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

/** More lines are neither numbered nor marked: each takes room in the HTML. */
const MAX_LINES = 2_000

/**
 * Puts each line of highlighted code into an element of its own, so that it can be numbered or marked. Text and its line ends
 * stay as they are. A colour that spans lines is closed and opened again.
 * @param html escaped code, whose only tags are the spans of the highlighter
 */
function inLines(html: string, info: CodeInfo): string {
  const lines = html.replace(/\n$/, '').split('\n')
  if (lines.length > MAX_LINES) return html
  let open: string[] = []
  const framed = lines.map((line, index) => {
    const before = open.join('')
    for (const [tag] of line.matchAll(/<span [^>]*>|<\/span>/g)) {
      open = tag === '</span>' ? open.slice(0, -1) : [...open, tag]
    }
    const element = isMarked(info, index + 1) ? 'mark' : 'span'
    return `<${element} class="line">${before}${line}\n${'</span>'.repeat(open.length)}</${element}>`
  })
  return framed.join('')
}

/** What the first line of a fence asks for: ```java numbers {3,5-7}. */
interface CodeInfo {
  /** Empty when none is given. */
  readonly language: string
  readonly isNumbered: boolean
  /** Lines to mark, from 1; those that the block does not have are ignored. */
  readonly marked: readonly { readonly from: number; readonly to: number }[]
}

const NUMBERED = /(?:^|\s)(?:numbers|line-?numbers|linenos|showlinenumbers)(?=\s|\{|$)/i
const MARKED = /\{([\d\s,-]{1,200})\}/
const RANGE = /(\d{1,5})(?:\s*-\s*(\d{1,5}))?/g

function readCodeInfo(info: string): CodeInfo {
  const [, list = ''] = MARKED.exec(info) ?? []
  const isNumbered = NUMBERED.test(info)
  const [first = ''] = info.trim().split(/[\s,:{]/, 1)
  return {
    language: isNumbered && NUMBERED.test(first) ? '' : first,
    isNumbered,
    marked: Array.from(list.matchAll(RANGE), ([, from = '', to = from]) => ({
      from: Number(from),
      to: Number(to),
    })),
  }
}

/** Whether what is behind a fence is code, as in "```int first = 1;": no language we know and no option. */
function isCode(info: string): boolean {
  const { language } = readCodeInfo(info)
  const isOption = language === '' && (NUMBERED.test(info) || MARKED.test(info))
  return /\S\s+\S/.test(info) && /[;(=]/.test(info) && !isOption && !isLanguage(language)
}

function isMarked({ marked }: CodeInfo, line: number): boolean {
  return marked.some(({ from, to }) => from <= line && line <= to)
}
