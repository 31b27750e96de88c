import { email } from '../../accounts/identity/fields.ts'
import type { Role } from '../../database/schema.ts'
import type { Message } from '../../messages/catalogue.ts'
import { ROLES } from './form.ts'

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
}

export const MAX_LINES = 20_000
const ADDRESS = email()
const HEAD = /^"?e-?mail"?\s*([,;\t]|$)/i

/** Reads lines `email` or `email,role`, as they are typed, or as a spreadsheet saves or copies them. A head is left out. */
export function readMemberLines(list: string): ReadLines {
  const good: MemberLine[] = []
  const bad: BadLine[] = []
  const seen = new Map<string, number>()
  for (const [index, raw] of list
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const [number, text] = [index + 1, raw.trim()]
    if (text === '' || (seen.size === 0 && good.length === 0 && HEAD.test(text))) continue
    const read = readLine(text)
    const earlier = 'email' in read ? seen.get(read.email) : undefined
    if (!('email' in read)) bad.push({ number, text, reason: read })
    else if (earlier !== undefined) bad.push({ number, text, reason: twice(earlier) })
    else {
      seen.set(read.email, number)
      good.push({ number, text, ...read })
    }
  }
  return { good, bad }
}

function readLine(text: string): Pick<MemberLine, 'email' | 'role'> | Message {
  const [address = '', named = '', ...more] = text
    .split(/[,;\t]/)
    .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  if (more.some((cell) => cell !== '')) return { key: 'members.line.columns' }
  const parsed = ADDRESS.safeParse(address)
  if (!parsed.success) return { key: 'members.line.email' }
  if (named === '') return { email: parsed.data, role: null }
  const role = ROLES.find((one) => one === named.toLowerCase())
  return role === undefined ? { key: 'members.line.role' } : { email: parsed.data, role }
}

function twice(earlier: number): Message {
  return { key: 'members.line.twice', values: { earlier } }
}
