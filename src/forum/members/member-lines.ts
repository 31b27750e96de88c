import { displayName, email } from '../../accounts/identity/fields.ts'
import type { Role } from '../../database/schema.ts'
import type { Message } from '../../messages/catalogue.ts'
import { bare } from '../../text/characters.ts'
import { cellsOf, OpenQuote, readTable, type TableRow, TooManyRows } from '../../text/table.ts'
import { Task } from '../../text/thread/thread.ts'
import {
  type AddressColumn,
  MEMBERS_TABLE,
  type MemberColumns,
  memberColumns,
  roleNamed,
  withHead,
} from './member-columns.ts'

/** UTF-16 units of a list that is read where it stands: one of 2 MB takes seconds. */
const MAX_AT_ONCE = 10_000
const reading = new Task<typeof readMemberLines>(import.meta.url, 'readMemberLines')

/** Reads a list of any length (readMemberLines), a long one in a thread. @throws NotDone */
export async function readMemberList(sent: MemberList): Promise<ReadList> {
  return sent.list.length > MAX_AT_ONCE ? reading.call(sent) : readMemberLines(sent)
}

interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
  /** What has to stand above it to be read again, where its columns are not ours. */
  readonly head: string | null
}

export interface MemberLine extends Line {
  readonly email: string
  /** null: none is named. */
  readonly role: Role | null
  /** null: none that can be used. */
  readonly name: string | null
}

export interface BadLine extends Line {
  readonly reason: Message
}

export interface MemberList {
  readonly list: string
  /** It is known to be a table. */
  readonly isTable: boolean
  /** The column of addresses, from 0; null: nobody said. */
  readonly column: number | null
}

export interface ReadLines {
  readonly good: readonly MemberLine[]
  readonly bad: readonly BadLine[]
  readonly isTable: boolean
}

/** `fault`: nothing of it can be read. `columns`: one of these holds the addresses, which has to be said. */
export type ReadList =
  | ReadLines
  | { readonly fault: Message }
  | { readonly columns: readonly AddressColumn[] }

type Named = Pick<MemberLine, 'email' | 'role' | 'name'>

const MAX_PEOPLE = 20_000
const MANY = { fault: { key: 'members.list.many', values: { max: MAX_PEOPLE } } }
const ADDRESS = email()
const NAME = displayName()
/** Several words with capitals around them, or a Korean name. */
const LIKE_NAME = /^\p{Lu}\S*(?:\s\S+)*\s\p{Lu}\S*$|^\p{Script=Hangul}{2,4}$/u
/** A role that is misspelt or not known here: no name, or somebody would lose the role without a word. */
const LIKE_ROLE =
  /teach|assist|instruct|student|learn|profess|tutor|admin|lectur|\bTA\b|강사|조교|교수|교사|강생|학생|선생|관리|운영|튜터|멘토/i
/** `<mina@school.example>`, and what stands before and after it. */
const BRACKETED = /<([^<>]*@[^<>]*)>/g

/**
 * Reads addresses as people have them: a table, as course systems and spreadsheets export it; else one a line with or without a
 * role, `Name <address>` as mail programs write them, several on a line.
 */
export function readMemberLines({ list, isTable, column }: MemberList): ReadList {
  // UTF-16 that was taken for UTF-8.
  if (list.includes('\0') || !list.isWellFormed()) return { fault: { key: 'members.list.encoding' } }
  try {
    const table = readTable(list, MEMBERS_TABLE, isTable)
    if (table === null) return sorted(linesOf(list), false)
    const lines: (MemberLine | BadLine)[] = table.above
      .filter(({ cells }) => cells.some((cell) => ADDRESS.safeParse(cell).success))
      .map((row) => ({ ...lineOf(row, null), reason: { key: 'members.line.above' } }))
    for (const section of table.sections.map(withHead)) {
      const columns = memberColumns(section, column)
      if (!('email' in columns)) return { columns }
      const head = columns.isOurs || section.head === null ? null : `${table.separator}${section.head.text}`
      for (const row of section.rows) lines.push({ ...lineOf(row, head), ...readRow(row.cells, columns) })
    }
    return sorted(lines, true)
  } catch (error) {
    if (error instanceof TooManyRows) return MANY
    if (!(error instanceof OpenQuote)) throw error
    return { fault: { key: 'forms.table.quote', values: { line: error.line } } }
  }
}

/** Whom it names, each once. A table may name somebody again, as one of who came to a meeting twice does. */
function sorted(lines: readonly (MemberLine | BadLine)[], isTable: boolean): ReadList {
  if (lines.length === 0) return { fault: { key: 'members.list.empty' } }
  if (lines.length > MAX_PEOPLE) return MANY
  const good = new Map<string, MemberLine>()
  const bad: BadLine[] = []
  for (const line of lines) {
    const earlier = 'email' in line ? good.get(line.email) : undefined
    if ('reason' in line) bad.push(line)
    else if (earlier === undefined) good.set(line.email, line)
    else if (!isTable || (line.role ?? earlier.role) !== earlier.role)
      bad.push({ ...line, reason: { key: 'members.line.twice', values: { earlier: earlier.number } } })
  }
  return { good: [...good.values()], bad, isTable }
}

function lineOf({ line, text }: TableRow, head: string | null): Line {
  return { number: line, text, head }
}

function readRow(
  cells: readonly string[],
  { email: at, role, name, last, isOurs }: MemberColumns,
): Named | Pick<BadLine, 'reason'> {
  const cell = (index: number | null) => (index === null ? '' : (cells[index] ?? ''))
  if (isOurs && cells.slice(2).some((one) => one !== '')) return { reason: { key: 'members.line.columns' } }
  if (cell(at) === '') return { reason: { key: 'members.line.none' } }
  return personOf(cell(at), [cell(role)], nameOf(cell(name), cell(last)))
}

/** The people of a text that is no table, as far as a list may have them. */
function linesOf(list: string): (MemberLine | BadLine)[] {
  const lines: (MemberLine | BadLine)[] = []
  for (const [index, raw] of list
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const text = bare(raw)
    const reads = text === '' ? [] : readLine(text)
    for (const read of reads) lines.push({ number: index + 1, text, head: null, ...read })
    if (lines.length > MAX_PEOPLE) break
  }
  return lines
}

/** A line of no table: one person, or several. */
function readLine(text: string) {
  const bracketed = [...text.matchAll(BRACKETED)].slice(0, MAX_PEOPLE + 1)
  const [only, ...more] = bracketed
  if (only !== undefined && more.length === 0) {
    const [whole, address = ''] = only
    const [before = '', after = ''] = text.split(whole)
    const others = cellsOf(before, ',;\t').filter((cell) => cell.includes('@'))
    if (others.length === 0) return [personOf(address, cellsOf(after, ',;\t'), nameOf(before))]
  }
  if (only !== undefined) {
    const bare = cellsOf(text.replace(BRACKETED, ''), ',;\t')
      .filter((cell) => cell.includes('@'))
      .slice(0, MAX_PEOPLE + 1)
    let end = 0
    const named = bracketed.map(({ 0: whole, 1: address = '', index }) => {
      const before = text.slice(end, index).replace(/^[\s,;]+/, '')
      end = index + whole.length
      return personOf(address, [], nameOf(before))
    })
    return [...named, ...bare.map((address) => personOf(address))]
  }
  const cells = cellsOf(text, ',;\t')
  const addresses = cells.filter((cell) => cell.includes('@')).slice(0, MAX_PEOPLE + 1)
  if (addresses.length > 1) return addresses.map((address) => personOf(address))
  const at = Math.max(
    0,
    cells.findIndex((cell) => cell.includes('@')),
  )
  return [personOf(cells[at] ?? '', cells.slice(at + 1), nameOf(at === 1 ? (cells[0] ?? '') : ''))]
}

/** @param roles what else stands there: one role, nothing, or a name where there is none yet */
function personOf(
  address: string,
  roles: readonly string[] = [],
  name: string | null = null,
): Named | Pick<BadLine, 'reason'> {
  const [named = '', ...more] = roles.filter((cell) => cell !== '')
  if (more.length > 0) return { reason: { key: 'members.line.columns' } }
  const bare = /^[^<>]*<([^<>]*)>$/.exec(address)?.[1] ?? address.replace(/^mailto:/i, '')
  const parsed = ADDRESS.safeParse(bare)
  if (!parsed.success)
    return { reason: { key: isInternational(bare) ? 'members.line.international' : 'members.line.email' } }
  const role = roleNamed(named)
  if (role !== 'unknown') return { email: parsed.data, role, name }
  const said = name === null && !LIKE_ROLE.test(named) ? nameOf(named) : null
  return said !== null && LIKE_NAME.test(said)
    ? { email: parsed.data, role: null, name: said }
    : { reason: { key: 'members.line.role' } }
}

/**
 * A name as it is greeted: "Park, Mina" is Mina Park, and 박 and 민아 are 박민아.
 * @returns null: it is none, or may be meant for who reads the greeting, such as an address that mail programs make a link of
 */
function nameOf(name: string, last = ''): string | null {
  const whole = bare(name).replace(/^"(.*)"$/s, '$1')
  const parts = last === '' ? whole.split(/,\s*/).reverse() : [whole, last]
  const isHangul = parts.length === 2 && parts.every((part) => /^\p{Script=Hangul}+$/u.test(part))
  const parsed = NAME.safeParse(isHangul ? parts.toReversed().join('') : parts.join(' '))
  const isName = parsed.success && /\p{L}/u.test(parsed.data) && !/[@/\\:;<>|]|\.\p{L}{2}/u.test(parsed.data)
  return isName && parts.length <= 2 ? parsed.data : null
}

/** An address with letters that most mail servers don't take, such as 미나@학교.example. */
function isInternational(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, by its first and last character
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address) && /[^\u0000-\u007f]/.test(address)
}
