import { codeLines } from '../../exchange/prose.ts'
import { literally } from '../../foreign/literally.ts'

const OPENING = /^\s*\[quote(?:=["“]?(?<from>[^"”\]\n]{0,200})["”]?)?\](?<rest>.*)$/i
const CLOSING = /\[\/quote\]/i
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
  const add = (line: string) => lines.push(depth === 0 ? line : `${'> '.repeat(depth)}${line}`.trimEnd())
  for (const [index, line] of markdown.split('\n').entries()) {
    const opening = code.has(index) || depth === MAX_DEPTH ? null : OPENING.exec(line)
    if (opening !== null) {
      if (depth === 0) add('')
      depth += 1
      add(headOf(opening.groups?.from ?? ''))
      add('')
    }
    let rest = opening?.groups?.rest ?? line
    while (depth > 0 && !code.has(index) && CLOSING.test(rest)) {
      const [before = '', ...after] = rest.split(CLOSING)
      if (before.trim() !== '') add(before)
      depth -= 1
      add('')
      rest = after.join('[/quote]')
    }
    if (rest.trim() !== '' || (opening === null && rest === line)) add(rest)
  }
  return depth === 0 ? lines.join('\n').trim() : markdown
}

/** `mina, post:1, topic:9`: who said it, and where. */
function headOf(from: string): string {
  const name = from.split(',')[0]?.trim() ?? ''
  const topic = /\btopic:\s*(\d{1,15})/.exec(from)?.[1]
  const post = /\bpost:\s*(\d{1,15})/.exec(from)?.[1]
  if (name === '') return ''
  return topic === undefined ? `${literally(name)}:` : `[${literally(name)}](/t/${topic}/${post ?? 1}):`
}
