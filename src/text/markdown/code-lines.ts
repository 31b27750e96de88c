import { type CodeInfo, isMarked } from './code-info.ts'

/** More lines are neither numbered nor marked: each takes room in the HTML. */
const MAX_LINES = 2_000

/**
 * Puts each line of highlighted code into an element of its own, so that it can be numbered or marked. Text and its line ends
 * stay as they are. A colour that spans lines is closed and opened again.
 * @param html escaped code, whose only tags are the spans of the highlighter
 */
export function inLines(html: string, info: CodeInfo): string {
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
