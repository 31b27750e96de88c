import { brokenCode } from './code.ts'
import { type Piece, piecesOf, unitsOf } from './pieces.ts'

/** Templates of which every blank is read, XML for programs. @param name below views/ */
export const isText = (name: string): boolean => /^(?:crawlers|feeds)\//.test(name)

/** The most characters of a line of a template. */
export const WIDTH = 120
/** A tag that is longer has each attribute on a line of its own, where it doesn't fit. */
const LONG_TAG = 80

/** In front of an attribute, where it isn't behind code. */
const ATTRIBUTE = /(?<!%>) (?=[a-z-]+=)/

/** Between these a line break would be a space on the page; at the edges of all other elements it isn't seen. */
const INLINE = new Set(
  (
    'a abbr b bdi br button cite code del em i img input ins kbd label mark output progress q s select small span ' +
    'strong sub sup svg textarea time u var noscript wbr'
  ).split(' '),
)

/**
 * A template in lines of at most WIDTH characters, where its code and its longest words allow it, that shows the same page: lines break
 * inside tags and code, behind code (whose line break Eta eats), at the edges of blocks, and where there is a blank. Lines are indented
 * by what they are in; src/text/template-lines.ts takes that away.
 */
export function formatted(template: string): string {
  const once = inLines(template)
  return once === template ? once : formatted(once)
}

function inLines(template: string): string {
  const lines: Piece[][] = []
  for (const piece of piecesOf(template)) {
    if (piece.isLineStart || lines.length === 0) lines.push([])
    lines.at(-1)?.push(piece)
  }
  return `${lines.flatMap(linesOf).join('\n').trimEnd()}\n`
}

/** A piece whose last character stands in front of the next one, or that has the last one's: a line may break inside of a tag. */
interface Part extends Piece {
  readonly takes?: boolean
  readonly gives?: boolean
}

function textOf({ takes, gives, source }: Part): string {
  return (takes === true ? '>' : '') + (gives === true ? source.slice(0, -1) : source)
}

const textOfAll = (run: readonly Part[]) =>
  run.map((part, at) => (at === 0 ? '' : part.gap) + textOf(part)).join('')

const indentOf = ({ depth }: Piece) => '  '.repeat(depth)

function linesOf(run: readonly Part[]): string[] {
  const [first] = run
  if (first === undefined) return []
  const text = textOfAll(run)
  if (text === '') return []
  const line = indentOf(first) + text
  if (first.source.startsWith('<%/*') && run.length === 1) return line.split('\n').flatMap(wrappedComment)
  const [begin = '', ...others] = line.split('\n')
  if (begin.length <= WIDTH && (line === begin || first.source.includes('\n'))) return [begin, ...others]
  if (first.kind === 'code' && line !== begin) return [begin, ...others]
  const [breaks, hugs] = [placesOf(run, canBreak), placesOf(run, canHug)]
  const breaksAreOutside = breaks.depth <= hugs.depth
  if (breaks.depth < Infinity && breaksAreOutside) return splitAt(run, breaks.ats, false).flatMap(linesOf)
  return (
    attributesApart(run) ??
    (hugs.depth < Infinity ? splitAt(run, hugs.ats, true).flatMap(linesOf) : inWords(run))
  )
}

/** The outermost places of a run where a line may break. The end of an element or of a block of code is in it. */
function placesOf(run: readonly Part[], isBreak: (part: Part, before: Part) => boolean) {
  const places = run.flatMap((part, at) => {
    const before = run[at - 1]
    const depth = part.depth + (part.kind === 'close' || part.source.startsWith('<% }') ? 1 : 0)
    return before !== undefined && isBreak(part, before) ? [{ at, depth }] : []
  })
  const outermost = Math.min(...places.map(({ depth }) => depth))
  const ats = places.filter(({ depth }) => depth === outermost).map(({ at }) => at)
  return { depth: outermost, ats: new Set(ats) }
}

function splitAt(run: readonly Part[], ats: ReadonlySet<number>, isHugging: boolean): Part[][] {
  const parts: Part[][] = [[]]
  for (const [at, part] of run.entries()) {
    if (ats.has(at)) parts.push([])
    const takes = part.takes === true || (isHugging && ats.has(at))
    const gives = part.gives === true || (isHugging && ats.has(at + 1))
    parts.at(-1)?.push({ ...part, takes, gives })
  }
  return parts
}

/** Whether a line break in front of a piece isn't seen, or is where a blank is. */
function canBreak(part: Part, before: Part): boolean {
  if (isBlock(part) || isBlock(before)) return true
  return before.kind === 'code' ? part.gap === '' : part.gap === ' '
}

/** Whether a line may break inside the tag before a piece. */
function canHug(part: Part, before: Part): boolean {
  return (before.kind === 'open' || before.kind === 'close') && before.gives !== true && part.gap === ''
}

function isBlock({ kind, name }: Piece): boolean {
  return kind === 'other' || ((kind === 'open' || kind === 'close') && !INLINE.has(name))
}

/** A run that begins with a long tag: its attributes on lines of their own, then the rest. */
function attributesApart(run: readonly Part[]): string[] | null {
  const [tag, ...rest] = run
  if (tag === undefined || (tag.kind !== 'open' && tag.kind !== 'literal')) return null
  const { name, units, end } = unitsOf(tag.source)
  if (units.length === 0 || (tag.kind === 'open' && tag.source.length < LONG_TAG)) return null
  const indent = indentOf({ ...tag, depth: tag.depth + 1 })
  const behind: Part = {
    ...tag,
    kind: isBlock(tag) ? 'other' : 'text',
    source: tag.gives === true ? end.slice(0, -1) : end,
  }
  return [
    indentOf(tag) + (tag.takes === true ? '>' : '') + name,
    ...units
      .flatMap((unit) => (indent.length + unit.length > WIDTH ? unit.split(ATTRIBUTE) : [unit]))
      .flatMap((unit) => brokenCode(unit, indent, WIDTH)),
    ...linesOf([{ ...behind, takes: false, gives: false }, ...rest]),
  ]
}

/** A run without another place: its code broken, its words wrapped. */
function inWords(run: readonly Part[]): string[] {
  const [first] = run
  if (first === undefined) return []
  const text = textOfAll(run)
  if (run.some(({ kind }) => kind !== 'text')) return brokenCode(text, indentOf(first), WIDTH)
  return wrapped(text, indentOf(first))
}

/** A line of a comment, wrapped under its text. */
function wrappedComment(line: string): string[] {
  return line.length <= WIDTH ? [line] : wrapped(line, /^\s*/.exec(line)?.[0] ?? '', '     ')
}

function wrapped(text: string, indent: string, hanging = indent): string[] {
  const lines: string[] = []
  let line = indent
  for (const word of text.trim().split(' ')) {
    if (line.trim() !== '' && `${line} ${word}`.length > WIDTH) {
      lines.push(line)
      line = hanging
    }
    line += line.trim() === '' ? word : ` ${word}`
  }
  return [...lines, line]
}
