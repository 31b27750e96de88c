import { LANGUAGES, translatorOf } from '../../messages/catalogue.ts'
import { type Line, signatureOf, withoutAppLines } from './signature.ts'

/** What only emails of this forum have. */
export interface Ours {
  readonly replyAddress: string
  readonly baseUrl: string
}

export interface Written {
  readonly text: string
  /** Lines that may be the author's and aren't posted: a signature, and what is between or below quoted lines. '': none. */
  readonly leftOut: string
}

/** Lines that a program breaks the sentence above a quotation into. */
const MOST_LINES = 4
/** Empty lines between a header and what it stands above. */
const MOST_EMPTY = 3
const MOST_CHARACTERS = 1000
const FEWEST_LABELS = 3
const MOST_NESTED = 10

const QUOTED = /^\s{0,3}>/
const FENCE = /^\s*(`{3,}(?!.*`)|~{3,})/
/** Mail programs break lines, put signs before them and write bold type: none of it counts. */
const BETWEEN = /[\s>\\*\p{Cf}]/gu
const DATE = /(?<!\p{Nd})\p{Nd}{4}(?!\p{Nd})|\p{Nd}{1,2}\s?[./-]\s?\p{Nd}{1,2}\s?[./-]\s?\p{Nd}{2}/u
const TIME = /\p{Nd}{1,2}\s?[:：시時时点hH]\s?\p{Nd}{2}|(?<![\p{Nd}.])\p{Nd}{1,2}\.\p{Nd}{2}(?![\p{Nd}.])/u
/** "From: …" in any language. */
const LABEL = /^\p{L}[\p{L}\p{M}\s.'’()-]{0,30}[:：](?!\/\/)/u
const SENDER = /<[^<>\s]+@[^<>\s]+>/
/** It may be indented, as Yahoo has it. */
const SENTENCE = /^\s+[^\s>].*<[^<>\s]+@[^<>\s]+>.*[:：]\s*$/
const ADDRESS = /[^\s<>@]@[^\s<>@]+\.[^\s<>@]/
/** "-----Original Message-----" in any language, and the line above Outlook's header. */
const TITLE = /^[\p{Pd}_=]{4,}[^\p{Pd}_=].{1,58}[^\p{Pd}_=][\p{Pd}_=]{4,}$|^_{10,}$/u
const RULE = /^(?:[-_*]\s?){3,}$/

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const squeezed = (text: string) => text.replace(BETWEEN, '')
const marks = LANGUAGES.map((language) => squeezed(translatorOf(language)('mailing.answer')))
const MARK = new RegExp(marks.map(escaped).join('|'), 'g')

/** Our secret addresses, also broken over lines or encoded: `reply+TOKEN@host`, and the link that ends emails. */
function secrets({ replyAddress, baseUrl }: Ours): RegExp {
  const [name = '', host = ''] = replyAddress.split('@').map(escaped)
  const link = escaped(`${new URL(baseUrl).host}/unsubscribe/`)
  return new RegExp(`${name}(?:\\+|%2b)[\\w-]{8,}(?:@|%40)${host}|${link}[\\w.-]{8,}`, 'gi')
}

/** Whether a text has an address in it that only the reader of one of our emails may know. */
export function tellsSecret(text: string, ours: Ours): boolean {
  return squeezed(text).search(secrets(ours)) >= 0
}

/**
 * What someone wrote above the email that they answer. Our mark and our addresses say where that begins. A header of their mail
 * program is known by its shape, and only directly above: anywhere else it may be what they write about.
 * @param subject of the answer, which some programs repeat
 */
export function splitMail(source: string, ours: Ours, subject: string): Written {
  const lines = linesOf(source)
  const begin = beginOf(lines, ours, subject)
  const above = lines.slice(0, begin)
  const signed = signatureOf(above)
  return {
    text: shown(above.slice(0, signed.end)),
    leftOut: remainder([...signed.lines, '', ...ownBelow(lines.slice(begin), ours)]),
  }
}

/** Of this only what stands above everything that is quoted: nothing between quoted lines or below them. */
export function aboveQuotes({ text, leftOut }: Written, ours: Ours): Written {
  const lines = linesOf(text)
  const at = lines.findIndex(({ text: line, isCode }) => !isCode && QUOTED.test(line))
  if (at < 0) return { text, leftOut }
  const below = unquotedBelow(lines.slice(at), ours)
  return { text: shown(lines.slice(0, at)), leftOut: remainder([...below, '', ...leftOut.split('\n')]) }
}

/** A fence without an end is none: it would hide the old email. */
function linesOf(source: string): Line[] {
  const texts = source.split('\n')
  const lines: Line[] = []
  /** The shortest fence of each character that has no end. */
  const endless: Record<string, number> = {}
  for (let at = 0; at < texts.length; at += 1) {
    const fence = FENCE.exec(texts[at] ?? '')?.[1] ?? ''
    const sign = fence.charAt(0)
    const hasEnd = fence !== '' && fence.length < (endless[sign] ?? Number.POSITIVE_INFINITY)
    const end = hasEnd ? endOf(texts, at, fence) : at
    if (hasEnd && end === at) endless[sign] = fence.length
    for (const text of texts.slice(at, end + 1)) lines.push({ text, isCode: end > at })
    at = end
  }
  return lines
}

/** The line that ends a fence; the one that begins it where none does. */
function endOf(texts: readonly string[], begin: number, fence: string): number {
  for (let at = begin + 1; at < texts.length; at += 1) {
    const bare = (texts[at] ?? '').trim()
    if (bare.length >= fence.length && bare === fence.charAt(0).repeat(bare.length)) return at
  }
  return begin
}

/** The line at which the old email begins; the number of lines: nowhere. */
function beginOf(lines: readonly Line[], ours: Ours, subject: string): number {
  const bare = lines.map(({ text }) => squeezed(text))
  const outside = bare.map((text, at) => (lines[at]?.isCode === true ? '' : text))
  const isOld = (at: number) => isQuoted(lines[at]) || isHeader(lines, at)
  const secret = linesWith(outside, secrets(ours)).find(isOld) ?? lines.length
  const mark = linesWith(outside, MARK)[0] ?? lines.length
  const at = Math.min(secret, mark)
  if (at < lines.length) return headerOf(lines, at, at === secret, subject)
  const [hidden] = linesWith(bare, MARK)
  if (hidden === undefined) return unmarkedBegin(lines, ours, subject)
  // A fence without an end that one of the old email seems to end.
  const fence = lines.slice(0, hidden).findLastIndex(({ isCode }) => !isCode)
  const open = lines.map((line, index) => (index > fence ? { ...line, isCode: false } : line))
  return headerOf(open, hidden, false, subject)
}

/** Where an email begins that someone has taken our mark and addresses out of: below a header alone. */
function unmarkedBegin(lines: readonly Line[], { replyAddress }: Ours, subject: string): number {
  const plainAddress = new RegExp(escaped(replyAddress), 'i')
  const named = lines.findIndex(
    (line, at) => !line.isCode && plainAddress.test(line.text) && isHeader(lines, at),
  )
  if (named >= 0) return headerOf(lines, named, true, subject)
  const quoted = lastQuoted(lines, subject)
  return quoted < lines.length
    ? quoted
    : lastQuoted(lines.slice(0, signatureOf(lines).end), subject, lines.length)
}

/** Where the last quoted lines begin with a header above them, and those above that; `otherwise` where they have none. */
function lastQuoted(
  lines: readonly Line[],
  subject: string,
  otherwise = lines.length,
  nested = MOST_NESTED,
): number {
  const last = lines.findLastIndex(({ text }) => text.trim() !== '')
  if (nested === 0 || !isQuoted(lines[last])) return otherwise
  const block = blockOf(lines, last)
  const header = headerAbove(lines, block, subject, false)
  return header < block ? lastQuoted(lines.slice(0, header), subject, header, nested - 1) : otherwise
}

/** The lines that a pattern begins in, also where it goes on in the next ones. */
function linesWith(bare: readonly string[], pattern: RegExp): number[] {
  const found = [...bare.join('').matchAll(pattern)].map(({ index }) => index)
  let [line, end] = [0, bare[0]?.length ?? 0]
  return found.map((at) => {
    while (end <= at) {
      line += 1
      end += bare[line]?.length ?? 1
    }
    return line
  })
}

/** The first line of what belongs to the one that says that the old email is here. @param isAddress it may be a header itself */
function headerOf(lines: readonly Line[], at: number, isAddress: boolean, subject: string): number {
  if (isQuoted(lines[at])) return headerAbove(lines, blockOf(lines, at), subject, true)
  if (!isAddress) return headerAbove(lines, at, subject, true)
  const isLabelled = LABEL.test(plain(lines[at]))
  return belowTitle(lines, isLabelled ? firstLabel(lines, at, subject) : firstOfSentence(lines, at))
}

/** Whether a line with an address is one of a header: with a word and a colon before it, or a sign before it and a colon after it. */
function isHeader(lines: readonly Line[], at: number): boolean {
  if (LABEL.test(plain(lines[at])))
    return isLabel(lines[at + 1]) || isLabel(lines[at - 1]) || isTitle(lines, lastAbove(lines, at))
  const sentence = lines.slice(at, at + MOST_LINES).map(plain)
  const end = sentence.findIndex((text) => text === '' || /[:：]$/.test(text))
  const before = `${plain(lines[at - 1])} ${sentence[0] ?? ''}`
  return end >= 0 && sentence[end] !== '' && /[<[(]/.test(before)
}

/**
 * The first line of a header above a line; that line itself where there is none.
 * @param isOurs the line is certainly of the old email: elsewhere people may write about times and senders
 */
function headerAbove(lines: readonly Line[], at: number, subject: string, isOurs: boolean): number {
  const above = lastAbove(lines, at)
  if (above < 0) return at
  const text = plain(lines[above])
  if (isSubject(text, subject)) return headerAbove(lines, above, '', isOurs)
  if (isQuoted(lines[above])) {
    const block = blockOf(lines, above)
    const header = headerAbove(lines, block, subject, false)
    return header < block ? header : at
  }
  if (/[:：]$/.test(text)) {
    const begin = firstOfSentence(lines, above)
    const sentence = lines
      .slice(begin, above + 1)
      .map(plain)
      .join(' ')
    const times = [DATE, TIME].filter((pattern) => pattern.test(sentence)).length
    if (SENDER.test(sentence) || times === 2 || (isOurs && times === 1)) return belowTitle(lines, begin)
  }
  const title = titleOfParagraphs(lines, above)
  if (title !== null) return title
  let first = above + 1
  while (first > 0 && isLabel(lines[first - 1])) first -= 1
  while (first <= above && isSaid(lines[first])) first += 1
  const labels = lines.slice(first, above + 1)
  const isTold = labels.some(({ text: label }) => ADDRESS.test(label)) || isTitle(lines, first - 1)
  const isOne = (isTold && labels.length > 1) || (isOurs && labels.length >= FEWEST_LABELS)
  return isOne ? belowTitle(lines, first) : at
}

/** The title above labels of which each is a paragraph, as HTML has them; null: they are none. */
function titleOfParagraphs(lines: readonly Line[], last: number): number | null {
  let at = last
  while (isLabel(lines[at]) && lastAbove(lines, at) < at - 1) at = lastAbove(lines, at)
  return at < last && isTitle(lines, at) ? at : null
}

/** Without "-----Original Message-----", or a rule between empty lines, above it. */
function belowTitle(lines: readonly Line[], at: number): number {
  const above = lastAbove(lines, at)
  return above >= 0 && isTitle(lines, above) ? above : at
}

function isTitle(lines: readonly Line[], at: number): boolean {
  const text = lines[at]?.text.replaceAll('\\', '').trim() ?? ''
  // Right below a line it makes a heading of that.
  return TITLE.test(text) || (RULE.test(text) && (lines[at - 1]?.text ?? '').trim() === '')
}

/** Of lines as Outlook writes them, some programs put the time, the subject or the recipient before the sender. */
function firstLabel(lines: readonly Line[], at: number, subject: string): number {
  let first = at
  for (let line = at - 1; isLabel(lines[line]); line -= 1) {
    const text = plain(lines[line])
    const value = text.replace(LABEL, '').trim()
    if (!ADDRESS.test(text) && !(DATE.test(text) || TIME.test(value)) && !isSubject(value, subject)) break
    first = line
  }
  return first
}

/** A sentence says when, which may stand on the lines before. */
function firstOfSentence(lines: readonly Line[], at: number): number {
  let sentence = plain(lines[at])
  for (let line = at - 1; line > at - MOST_LINES; line -= 1) {
    if (DATE.test(sentence) && TIME.test(sentence)) return line + 1
    const text = plain(lines[line])
    if (text === '' || isQuoted(lines[line]) || lines[line]?.isCode === true) break
    sentence = `${text} ${sentence}`
    if (DATE.test(sentence) && TIME.test(sentence)) return line
  }
  return at
}

/** The last line above one that isn't empty, near it and outside of code; -1: none. */
function lastAbove(lines: readonly Line[], at: number): number {
  for (let above = at - 1; above >= at - 1 - MOST_EMPTY; above -= 1) {
    const line = lines[above]
    if (line === undefined || line.text.trim() !== '') return line?.isCode === false ? above : -1
  }
  return -1
}

/** The first of the quoted lines around one, which empty lines may separate. */
function blockOf(lines: readonly Line[], at: number): number {
  let first = at
  for (let line = at - 1; line >= 0; line -= 1) {
    if (isQuoted(lines[line])) first = line
    else if ((lines[line]?.text ?? '').trim() !== '' || first > line + 1) break
  }
  return first
}

/** Without the signs of quoting, of Markdown and of bold type; code that is indented is nothing else. */
function plain(line: Line | undefined): string {
  const text = line?.text.slice(0, MOST_CHARACTERS) ?? ''
  return /^(?: {4}|\t)/.test(text) && !SENTENCE.test(text)
    ? ''
    : text.replace(/[*\\"\p{Cf}]/gu, '').replace(/^[>#\s]+|\s+$/g, '')
}

const isQuoted = (line: Line | undefined) => line?.isCode === false && QUOTED.test(line.text)
const isLabel = (line: Line | undefined) => line?.isCode === false && LABEL.test(plain(line))
const isSaid = (line: Line | undefined) => /[.!?。]$/.test(plain(line)) && !ADDRESS.test(plain(line))

function isSubject(text: string, subject: string): boolean {
  const bare = subject.replace(/^(?:[^\s:：]{1,8}\s?[:：]\s*)+/, '').trim()
  return bare !== '' && text !== '' && (text === bare || text === subject.trim())
}

/**
 * What may be the author's of an email below where the old one begins: all of it where only its shape said so. An email that is
 * quoted without signs can't be told from what is written in it.
 */
function ownBelow(lines: readonly Line[], ours: Ours): string[] {
  const bare = lines.map(({ text }) => squeezed(text))
  const [mark] = linesWith(bare, MARK)
  if (mark !== undefined) return isQuoted(lines[mark]) ? unquotedBelow(lines, ours) : []
  const address = new RegExp(escaped(ours.replyAddress), 'i')
  const isOurs = [secrets(ours), address].some((pattern) => bare.join('').search(pattern) >= 0)
  return isOurs ? unquotedBelow(lines, ours) : lines.map(({ text }) => text)
}

/** What stands between or below quoted lines without their sign. */
function unquotedBelow(lines: readonly Line[], ours: Ours): string[] {
  const first = lines.findIndex(({ text }) => QUOTED.test(text))
  if (first < 0) return []
  const secret = secrets(ours)
  return withoutAppLines(lines.slice(first)).map(({ text }, at, below) => {
    const bare = squeezed(text)
    // A program may break quoted lines without a sign on the rest.
    const isRest = QUOTED.test(below[at - 1]?.text ?? '') && marks.some((mark) => mark.endsWith(bare))
    return QUOTED.test(text) || isRest || bare.search(secret) >= 0 || text === '-- ' ? '' : text
  })
}

function shown(lines: readonly Line[]): string {
  return joined(lines.map(({ text }) => text))
}

const remainder = (lines: readonly string[]) => joined(lines).replace(/\n{3,}/g, '\n\n')

function joined(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd()
}
