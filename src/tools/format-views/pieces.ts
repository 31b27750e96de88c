/** A tag, a piece of code between `<%` and `%>`, or text of a template. */
export interface Piece {
  /** `literal`: an element in which every blank is shown, whole. `other`: a comment, a doctype. */
  readonly kind: 'text' | 'code' | 'open' | 'close' | 'other' | 'literal'
  readonly source: string
  /** Of a tag. */
  readonly name: string
  /** What reaches the page of the blanks before it. */
  readonly gap: '' | ' '
  /** Whether the template has a line break before it. */
  readonly isLineStart: boolean
  /** How many elements and blocks of code it is in. */
  readonly depth: number
}

const VOID = new Set('br hr img input link meta wbr path rect circle line use'.split(' '))
/** In these every blank is shown. */
const LITERAL = new Set(['pre', 'textarea', 'script', 'style'])
const LITERAL_CLASS = /class="[^"]*\b(?:literal|letter|diff-body)\b|white-space:pre-wrap/

/** The pieces of a template in their order. */
export function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = []
  const open: string[] = []
  let at = 0
  while (at < template.length) {
    const blanks = /^\s*/.exec(template.slice(at))?.[0] ?? ''
    at += blanks.length
    if (at >= template.length) break
    const { kind, source, name } = pieceAt(template, at)
    at += source.length
    const isCode = kind === 'code'
    if (kind === 'close') closeTag(open, name)
    const [closes, opens] = isCode ? braces(source) : [0, 0]
    for (let closing = 0; closing < closes; closing++) open.splice(Math.max(0, open.lastIndexOf('{')))
    // Eta eats the line break behind code.
    const shown = pieces.at(-1)?.kind === 'code' ? blanks.replace(/^\n/, '') : blanks
    const gap = shown === '' ? '' : ' '
    pieces.push({
      kind,
      source: onOneLine(kind, source),
      name,
      gap,
      isLineStart: blanks.includes('\n'),
      depth: open.length,
    })
    if (kind === 'open' && !VOID.has(name) && !source.endsWith('/>')) open.push(name)
    for (let opening = 0; opening < opens; opening++) open.push('{')
  }
  return pieces
}

/** A tag or a piece of code as it is before its lines break. Statements and comments stay in the lines that they are in. */
function onOneLine(kind: Piece['kind'], source: string): string {
  if (kind === 'code') return /^<%[=~]/.test(source) ? source.replaceAll(/,?\n\s*/g, atLineEnd) : source
  if (kind === 'open' || kind === 'close') return source.replaceAll(/\n\s*/g, atLineEnd)
  if (kind !== 'literal') return source
  const end = tagEnd(source)
  return source.slice(0, end).replaceAll(/\n\s*/g, atLineEnd) + source.slice(end)
}

function atLineEnd(blanks: string, at: number, whole: string): string {
  const next = whole.slice(at + blanks.length)
  const isEnd = /^(?:<%|>|[\])}])/.test(next)
  if (isEnd) return /^[}]/.test(next) && whole[at - 1] !== '{' ? ' ' : ''
  return `${blanks.startsWith(',') ? ',' : ''}${whole[at - 1] === '(' || whole[at - 1] === '[' ? '' : ' '}`
}

function closeTag(open: string[], name: string): void {
  const at = open.lastIndexOf(name)
  if (at > open.lastIndexOf('{')) open.splice(at)
}

/** How many blocks a piece of code ends that began before it, and how many begin in it and go on. */
function braces(code: string): [closes: number, opens: number] {
  let [closes, opens] = [0, 0]
  for (const mark of withoutTexts(code).match(/[{}]/g) ?? [])
    if (mark === '{') opens++
    else if (opens > 0) opens--
    else closes++
  return [closes, opens]
}

/** Code whose texts and comments are blanks. */
export function withoutTexts(code: string): string {
  return code.replace(
    /\/\*.*?\*\/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|\$\{[^}]*\}|[^`\\])*`/gs,
    (text) => ' '.repeat(text.length),
  )
}

function pieceAt(template: string, at: number): Pick<Piece, 'kind' | 'source' | 'name'> {
  const rest = template.slice(at)
  if (rest.startsWith('<%')) return { kind: 'code', source: rest.slice(0, codeEnd(rest)), name: '' }
  if (rest.startsWith('<!')) return { kind: 'other', source: rest.slice(0, rest.indexOf('>') + 1), name: '' }
  const name = /^<\/?([a-z][\w:-]*)/i.exec(rest)?.[1] ?? ''
  if (name === '') {
    const text = /^(?:(?!<%|<\/?[a-z!])[\s\S])+/i.exec(rest)?.[0] ?? rest.slice(0, 1)
    return { kind: 'text', source: text.replaceAll(/\s*\n\s*/g, '\n').trimEnd(), name }
  }
  const source = rest.slice(0, tagEnd(rest))
  if (source.startsWith('</')) return { kind: 'close', source, name }
  if (!LITERAL.has(name) && !LITERAL_CLASS.test(source)) return { kind: 'open', source, name }
  return { kind: 'literal', source: rest.slice(0, elementEnd(rest, name, source.length)), name }
}

function codeEnd(text: string): number {
  return withoutTexts(text.slice(0, text.indexOf('%>', 2) + 2)).endsWith('%>')
    ? text.indexOf('%>', 2) + 2
    : withoutTexts(text).indexOf('%>', 2) + 2
}

/** The length of the tag that a text begins with: code and values may have `>` in them. */
function tagEnd(text: string): number {
  let isInValue = false
  for (let at = 1; at < text.length; at++) {
    if (text.startsWith('<%', at)) at += codeEnd(text.slice(at)) - 1
    else if (text[at] === '"') isInValue = !isInValue
    else if (text[at] === '>' && !isInValue) return at + 1
  }
  throw new Error(`a tag without an end: ${text.slice(0, 80)}`)
}

function elementEnd(text: string, name: string, from: number): number {
  let level = 1
  for (const { 0: tag, index } of text.matchAll(new RegExp(`<(/?)${name}\\b[^>]*>`, 'g'))) {
    if (index < from) continue
    level += tag.startsWith('</') ? -1 : 1
    if (level === 0) return index + tag.length
  }
  throw new Error(`an element without an end: ${text.slice(0, 80)}`)
}

/** An opening tag's name, its attributes, and its end: what is between two of them may be a line break. */
export function unitsOf(tag: string): { name: string; units: string[]; end: string } {
  const name = /^<[\w:-]+/.exec(tag)?.[0] ?? ''
  const length = tagEnd(tag)
  const units: string[] = []
  let [unit, level, isInValue, isBehindCode] = ['', 0, false, false]
  for (let at = name.length; at < length - 1; at++) {
    if (tag.startsWith('<%', at)) {
      const code = tag.slice(at, at + codeEnd(tag.slice(at)))
      const [closes, opens] = braces(code)
      if (!isInValue && level === 0 && closes === 0) {
        units.push(unit)
        unit = ''
      }
      level += opens - closes
      unit += code
      at += code.length - 1
      isBehindCode = true
      continue
    }
    const mark = tag[at] ?? ''
    if (mark === '"') isInValue = !isInValue
    const isBlank = /\s/.test(mark) && !isInValue && level === 0
    // A line break behind code would be eaten, and two attributes one.
    if (isBlank && !isBehindCode) {
      units.push(unit)
      unit = ''
    } else unit += mark
    isBehindCode = false
  }
  const given = [...units, unit].map((part) => part.trim()).filter((part) => part !== '')
  return { name, units: given, end: tag.slice(length - 1) }
}
