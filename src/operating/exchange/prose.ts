import MarkdownIt from 'markdown-it'
import { mapCode } from '../foreign/tex.ts'

/** Finds blocks alone: what is in them is read by its own rules. */
const blocks = new MarkdownIt({ html: false })
blocks.core.ruler.enableOnly(['normalize', 'block'])

/** Stands for inline code in running text: private-use characters, which no post needs. No address goes on behind it. */
const CODE = /\uE000(\d+)\uE001/g

/**
 * Changes a Markdown text outside of its code. Inline code ends with its paragraph.
 * @param markdown with `\n` at the ends of lines
 * @param change of a paragraph: what it keeps of `\uE000…\uE001` is code again
 */
export function mapProse(markdown: string, change: (prose: string) => string): string {
  const lines = markdown.split('\n')
  const parts: string[] = []
  let paragraph: string[] = []
  const end = () => {
    if (paragraph.length > 0) parts.push(changed(paragraph.join('\n'), change))
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

function changed(text: string, change: (prose: string) => string): string {
  if (!text.includes('`')) return change(text)
  if (text.includes('\uE000')) return mapCode(text, (code) => code, change)
  const codes: string[] = []
  const masked = mapCode(
    text,
    (code) => `\uE000${codes.push(code) - 1}\uE001`,
    (words) => words,
  )
  return change(masked).replace(CODE, (_, index: string) => codes[Number(index)] ?? '')
}

/** The numbers of the lines of code blocks, from 0. */
export function codeLines(markdown: string): Set<number> {
  const found = new Set<number>()
  if (!/^(?: {4}|\t)|`{3}|~{3}/m.test(markdown)) return found
  for (const { type, map } of blocks.parse(markdown, {})) {
    if ((type !== 'fence' && type !== 'code_block') || map === null) continue
    for (let line = map[0]; line < map[1]; line += 1) found.add(line)
  }
  return found
}
