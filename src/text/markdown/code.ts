import type { Env, MarkdownIt } from 'markdown-it'
import { highlight } from './highlighter.ts'

/**
 * Maximum characters of highlighted code per post: grammars take far longer than Markdown, especially on hostile input.
 */
const MAX_HIGHLIGHTED = 6_000

/**
 * Code blocks: focusable, so that a keyboard can scroll them (WCAG 2.1.1), and highlighted when their language is
 * known.
 */
export function showCode(markdown: MarkdownIt): void {
  const { rules } = markdown.renderer
  const { escapeHtml, unescapeAll } = markdown.utils
  const block = (code: string) => `<pre tabindex="0"><code>${code}</code></pre>\n`

  rules.code_block = (tokens, index) => block(escapeHtml(tokens[index]?.content ?? ''))

  rules.fence = (tokens, index, _options, env = {}) => {
    const { content = '', info = '' } = tokens[index] ?? {}
    const language =
      unescapeAll(info)
        .trim()
        .split(/[\s,:{]/, 1)[0] ?? ''
    return block(
      (takeFromBudget(env, content.length) ? highlight(content, language) : null) ?? escapeHtml(content),
    )
  }
}

/** Whether the post's highlighting budget allows this many characters; if so, subtracts them. */
function takeFromBudget(env: Env, characters: number): boolean {
  const coloured = Number(env.colouredCharacters ?? 0) + characters
  if (coloured > MAX_HIGHLIGHTED) return false
  env.colouredCharacters = coloured
  return true
}
