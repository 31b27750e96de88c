import type { Env, MarkdownIt } from 'markdown-it'
import { highlight } from './highlighter.ts'

/**
 * Characters of code coloured in one post: grammars need far more time than Markdown, on hostile input most.
 */
const MOST_COLOURED = 6_000

/**
 * Code blocks: focusable, so that a keyboard can scroll them (WCAG 2.1.1), and coloured when their language
 * is known.
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

/** Whether so many characters may still be coloured in this post; counts them if so. */
function takeFromBudget(env: Env, characters: number): boolean {
  const coloured = Number(env.colouredCharacters ?? 0) + characters
  if (coloured > MOST_COLOURED) return false
  env.colouredCharacters = coloured
  return true
}
