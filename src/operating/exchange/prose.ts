import MarkdownIt from 'markdown-it'
import { mapCode } from '../foreign/tex.ts'

/** Finds blocks alone: what is in them is read by its own rules. */
const blocks = new MarkdownIt({ html: false })
blocks.core.ruler.enableOnly(['normalize', 'block'])

/**
 * Changes a Markdown text outside of its code. Inline code ends with its paragraph.
 * @param markdown with `\n` at the ends of lines
 */
export function mapProse(markdown: string, change: (prose: string) => string): string {
  const lines = markdown.split('\n')
  const parts: string[] = []
  let paragraph: string[] = []
  const end = () => {
    if (paragraph.length > 0) parts.push(mapCode(paragraph.join('\n'), (code) => code, change))
    paragraph = []
  }
  const code = codeLines(markdown)
  for (const [index, line] of lines.entries()) {
    if (!code.has(index) && line.trim() !== '') {
      paragraph.push(line)
      continue
    }
    end()
    parts.push(line)
  }
  end()
  return parts.join('\n')
}

/** The numbers of the lines of code blocks, from 0. */
function codeLines(markdown: string): Set<number> {
  const found = new Set<number>()
  if (!/^(?: {4}|\t)|`{3}|~{3}/m.test(markdown)) return found
  for (const { type, map } of blocks.parse(markdown, {})) {
    if ((type !== 'fence' && type !== 'code_block') || map === null) continue
    for (let line = map[0]; line < map[1]; line += 1) found.add(line)
  }
  return found
}
