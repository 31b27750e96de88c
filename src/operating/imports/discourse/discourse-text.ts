import { codeLines } from '../../exchange/prose.ts'
import { literally } from '../../foreign/literally.ts'

/** What begins or ends a quote, with what it says of itself. */
const TOKEN = /(\[quote(?:=["“]?[^"”\]\n]{0,200}["”]?)?\]|\[\/quote\])/i
/** Beyond this no quote in a quote is one. */
const MAX_DEPTH = 10

/**
 * The Markdown of a post: quotes as Markdown has them, with who is quoted as a link to it (`/t/9/2`), sizes of pictures gone. What begins a
 * quote that never ends is text.
 */
export function discourseMarkdown(raw: string): string {
  return quoted(raw.replace(/\r\n?/g, '\n')).replace(
    /(!?\[[^\]\n|]{0,300})\|(?:\d{1,5}x\d{1,5}(?:,\s*\d{1,3}%)?|attachment|thumbnail|video|audio)\](?=\()/g,
    '$1]',
  )
}

function quoted(markdown: string): string {
  if (!/\[quote/i.test(markdown)) return markdown
  const code = codeLines(markdown)
  const lines: string[] = []
  let depth = 0
  const add = (text: string) => {
    const mark = '> '.repeat(depth)
    for (const line of text.split('\n')) lines.push(depth === 0 ? line : `${mark}${line}`.trimEnd())
  }
  for (const [index, line] of markdown.split('\n').entries()) {
    const parts = code.has(index) ? [line] : line.split(TOKEN)
    let isBeginning = true
    for (const [place, part] of parts.entries()) {
      const isToken = place % 2 === 1
      if (isToken && part.startsWith('[/') && depth > 0) {
        depth -= 1
        add('')
      } else if (isToken && !part.startsWith('[/') && isBeginning && depth < MAX_DEPTH) {
        add('')
        depth += 1
        add(headOf(part))
      } else if (part.trim() !== '' || parts.length === 1) {
        add(part)
        isBeginning = false
      }
    }
  }
  return depth === 0 ? lines.join('\n').trim() : markdown
}

/** Of `[quote="mina, post:1, topic:9"]`: who said it, and where. */
function headOf(token: string): string {
  const from = /=["“]?([^"”\]]*)/.exec(token)?.[1] ?? ''
  const name = from.split(',')[0]?.trim() ?? ''
  const topic = /\btopic:\s*(\d{1,15})/.exec(from)?.[1]
  const post = /\bpost:\s*(\d{1,15})/.exec(from)?.[1]
  if (name === '') return ''
  const head = topic === undefined ? `${literally(name)}:` : `[${literally(name)}](/t/${topic}/${post ?? 1}):`
  return `${head}\n`
}
