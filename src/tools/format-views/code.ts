import { withoutTexts } from './pieces.ts'

/** A text that doesn't fit into a line, broken in the longest piece of code of it: between the members of what it hands over, or before operators. */
export function brokenCode(text: string, indent: string, width: number): string[] {
  if (text === '') return []
  if (indent.length + text.length <= width) return [indent + text]
  const inner = `${indent}  `
  const { from, to } = longestList(text)
  const parts = to > from ? membersOf(text.slice(from, to)) : []
  if (parts.length > 0)
    return [
      indent + text.slice(0, from).trimEnd(),
      ...filled(
        parts.map((part) => `${part},`),
        inner,
        width,
      ),
      ...brokenCode(text.slice(to).trimStart(), indent, width),
    ]
  const blank = withoutTexts(text)
  const ats = [...blank.matchAll(/ (?=(?:&&|\|\||\?\?|\?|:) )/g)].map(({ index }) => index)
  const at = ats.filter((place) => indent.length + place <= width).at(-1)
  if (at === undefined) return [indent + text]
  return [indent + text.slice(0, at), ...brokenCode(text.slice(at + 1), inner, width)]
}

/** The members of the outermost braces or brackets in code that are the longest. */
function longestList(text: string): { from: number; to: number } {
  const blank = withoutTexts(text)
  let best = { from: 0, to: 0 }
  const open: number[] = []
  let isCode = !text.includes('<%')
  for (let at = 0; at < blank.length; at++) {
    if (blank.startsWith('<%', at)) isCode = true
    if (blank.startsWith('%>', at)) isCode = false
    const mark = blank[at] ?? ''
    if (!isCode) continue
    if (mark === '{' || mark === '[' || mark === '(') open.push(at)
    if (mark === '}' || mark === ']' || mark === ')') {
      const from = (open.pop() ?? at) + 1
      const list = blank.slice(from, at)
      const isObject = mark === '}' && /[([,:?=]\s*$/.test(blank.slice(0, from - 1))
      const isArguments = mark === ')' && /[{[]/.test(list)
      if (
        !isArguments &&
        list.length > best.to - best.from &&
        (isObject || list.includes(',')) &&
        !list.includes(';')
      )
        best = { from, to: at }
    }
  }
  return best
}

function membersOf(list: string): string[] {
  const blank = withoutTexts(list)
  const members: string[] = []
  let [level, begin] = [0, 0]
  for (let at = 0; at <= blank.length; at++) {
    const mark = blank[at] ?? ','
    if ('([{'.includes(mark)) level++
    if (')]}'.includes(mark)) level--
    if (mark !== ',' || level > 0) continue
    members.push(list.slice(begin, at).trim())
    begin = at + 1
  }
  return members.filter((member) => member !== '')
}

/** Parts on as few lines as hold them. */
function filled(parts: readonly string[], indent: string, width: number): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + part.length <= width)
      lines[lines.length - 1] = `${last} ${part}`
    else lines.push(...brokenCode(part, indent, width))
  }
  return lines
}
