import { email } from '../../accounts/identity/fields.ts'
import type { Role } from '../../database/schema.ts'
import type { Message } from '../../messages/catalogue.ts'
import { cellsOf, type MemberColumns, memberColumns, roleNamed } from './member-columns.ts'

/** A line that names somebody. */
export interface MemberLine {
  /** From 1. */
  readonly number: number
  readonly text: string
  readonly email: string
  /** null: none is named. */
  readonly role: Role | null
}

/** A line that cannot be taken, and why. */
export interface BadLine {
  readonly number: number
  readonly text: string
  readonly reason: Message
}

export interface ReadLines {
  readonly good: readonly MemberLine[]
  readonly bad: readonly BadLine[]
  /** The line that names the columns, where their order is not ours: bad lines can't be read without it. */
  readonly head: string | null
}

type Read = Pick<MemberLine, 'email' | 'role'> | Message

export const MAX_LINES = 20_000
const ADDRESS = email()
/** `<mina@school.example>`, and what stands before and after it. */
const BRACKETED = /<([^<>]*@[^<>]*)>/g

/**
 * Reads addresses as people have them: one a line with or without a role, `Name <address>` as mail programs write them, several on
 * a line, or a table whose first line names its columns in any order.
 */
export function readMemberLines(list: string): ReadLines {
  const good: MemberLine[] = []
  const bad: BadLine[] = []
  const seen = new Map<string, number>()
  let columns: MemberColumns | null = null
  let head: string | null = null
  for (const [index, raw] of list
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const [number, text] = [index + 1, raw.trim()]
    if (text === '') continue
    if (good.length + bad.length === 0 && columns === null) {
      columns = memberColumns(text)
      if (columns !== null) {
        if (columns.email !== 0 || columns.role !== 1) head = text
        continue
      }
    }
    for (const read of columns === null ? readLine(text) : [readRow(raw, columns)]) {
      const earlier = 'email' in read ? seen.get(read.email) : undefined
      if (!('email' in read)) bad.push({ number, text, reason: read })
      else if (earlier !== undefined) bad.push({ number, text, reason: twice(earlier) })
      else {
        seen.set(read.email, number)
        good.push({ number, text, ...read })
      }
    }
  }
  return { good, bad, head }
}

/** A line of a table. */
function readRow(line: string, { delimiter, email: at, role }: MemberColumns): Read {
  const cells = cellsOf(line, delimiter)
  const width = Math.max(at, role ?? 0)
  // Our own two columns: what stands behind them is a mistake.
  if (at === 0 && role === 1 && cells.slice(width + 1).some((cell) => cell !== ''))
    return { key: 'members.line.columns' }
  return personOf(cells[at] ?? '', role === null ? '' : (cells[role] ?? ''))
}

/** A line of no table: one person, or several. */
function readLine(text: string): Read[] {
  const bracketed = [...text.matchAll(BRACKETED)]
  if (bracketed.length === 1) {
    const [whole, address = ''] = bracketed[0] ?? ['']
    const [before = '', after = ''] = text.split(whole)
    const others = cellsOf(before, ',;\t').filter((cell) => cell.includes('@'))
    if (others.length === 0) return [personOf(address, ...wordsOf(after))]
  }
  if (bracketed.length > 0) {
    const bare = cellsOf(text.replace(BRACKETED, ''), ',;\t').filter((cell) => cell.includes('@'))
    return [...bracketed.map(([, address = '']) => address), ...bare].map((address) => personOf(address, ''))
  }
  const cells = cellsOf(text, ',;\t')
  const addresses = cells.filter((cell) => cell.includes('@'))
  if (addresses.length > 1) return addresses.map((address) => personOf(address, ''))
  const at = Math.max(
    0,
    cells.findIndex((cell) => cell.includes('@')),
  )
  return [personOf(cells[at] ?? '', ...cells.slice(at + 1).filter((cell) => cell !== ''))]
}

function wordsOf(text: string): string[] {
  return cellsOf(text, ',;\t').filter((cell) => cell !== '')
}

function personOf(address: string, named = '', ...more: string[]): Read {
  if (more.some((cell) => cell !== '')) return { key: 'members.line.columns' }
  const bare = /^[^<>]*<([^<>]*)>$/.exec(address)?.[1] ?? address.replace(/^mailto:/i, '')
  const parsed = ADDRESS.safeParse(bare)
  if (!parsed.success)
    return { key: isInternational(bare) ? 'members.line.international' : 'members.line.email' }
  if (named === '') return { email: parsed.data, role: null }
  const role = roleNamed(named)
  return role === null ? { key: 'members.line.role' } : { email: parsed.data, role }
}

/** An address with letters that most mail servers don't take, such as 미나@학교.example. */
function isInternational(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, by its first and last character
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address) && /[^\u0000-\u007f]/.test(address)
}

function twice(earlier: number): Message {
  return { key: 'members.line.twice', values: { earlier } }
}
