import type { Role } from '../../database/schema.ts'
import type { TableRow, TableSection, TableSubject } from '../../text/table.ts'

/** Which cell of a row is what; null: none is. */
export interface MemberColumns {
  readonly email: number
  readonly role: number | null
  /** A whole name, or a first one with `last`. */
  readonly name: number | null
  readonly last: number | null
  /** These two alone, in this order: what stands behind them is a mistake. */
  readonly isOurs: boolean
}

/** A column that holds addresses, of which there are several. */
export interface AddressColumn {
  /** From 0. */
  readonly index: number
  /** What its head says; empty: nothing. */
  readonly title: string
  readonly example: string
}

/** What mail programs, Google, Microsoft, Zoom, Moodle, Canvas and spreadsheets call the columns. Others are not read. */
const EMAILS = listed(
  'email, e mail, mail, email address, e mail address, emailaddress, primary email, email id, user email',
  'student email, school email, work email, email 1 value, e mail 1 value',
  '이메일, 이메일 주소, 이메일주소, 메일, 메일 주소, 사용자 이메일, 전자 메일, 전자메일',
)
const ROLES_COLUMN = listed(
  'role, roles, course role, enrollment role, enrollment type, member role, 역할, 권한',
)
const NAMES = listed(
  'name, full name, fullname, display name, displayname, student, student name, user name, participant',
  'participant name, sortable name, 이름, 성명, 성함, 학생 이름',
)
const FIRST_NAMES = listed('first name, firstname, given name, forename')
const LAST_NAMES = listed('last name, lastname, surname, family name, 성')

const ROLE_NAMES: Readonly<Record<Role, readonly string[]>> = {
  learner: ['learner', 'student', 'studentenrollment', '수강생', '학생', '학습자'],
  assistant: ['assistant', 'ta', 'taenrollment', 'teaching assistant', 'non-editing teacher', '조교'],
  instructor: [
    ...['instructor', 'teacher', 'teacherenrollment', 'editing teacher', 'editingteacher', 'professor'],
    ...['강사', '교수', '교사', '선생님'],
  ],
}
const ROLES_BY_NAME: ReadonlyMap<string, Role> = new Map(
  (['learner', 'assistant', 'instructor'] as const).flatMap((role) =>
    ROLE_NAMES[role].map((name) => [name, role] as const),
  ),
)
/** What somebody is in a meeting or a team says nothing of a course. */
const NO_ROLES = listed(
  '-, none, no roles, attendee, participant, presenter, organizer, panelist, host, co-host, co-organizer',
  'guest, member, owner, 참석자, 발표자, 이끌이, 구성원, 게스트',
)

function listed(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(', ')))
}

/** The role that a word names, in any of the systems; null: none. 'unknown': it is no role. */
export function roleNamed(words: string): Role | null | 'unknown' {
  const roles = words
    .normalize('NFC')
    .toLowerCase()
    .split(/[,;/]/)
    .map((word) => word.trim())
    .map((word) => ROLES_BY_NAME.get(word) ?? (word === '' || NO_ROLES.has(word) ? null : 'unknown'))
  if (roles.includes('unknown')) return 'unknown'
  return (['instructor', 'assistant', 'learner'] as const).find((role) => roles.includes(role)) ?? null
}

/** An address with nothing around it. What is wrong with one is said where it is read. */
const isAddress = (cell: string) =>
  cell.length <= 254 && /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;"]+$/.test(cell)

export const MEMBERS_TABLE: TableSubject = {
  isHead: (cells) => {
    if (cells.some((cell) => cell.includes('@'))) return false
    const names = cells.map(columnName)
    return has(names, EMAILS) || (has(names, ROLES_COLUMN) && (has(names, NAMES) || has(names, FIRST_NAMES)))
  },
  // Several addresses on a line are no row, nor is `Name <address>`.
  isRow: (cells) =>
    cells.some(isAddress) &&
    !cells.every((cell) => cell === '' || isAddress(cell)) &&
    !cells.some((cell) => /<[^<>]*@/.test(cell)),
}

const has = (names: readonly string[], known: ReadonlySet<string>) => names.some((name) => known.has(name))

/** Such as "Email Address [Required]", "E-mail*", "email_address", "Name (Original Name)". */
function columnName(cell: string): string {
  const name = cell.normalize('NFC').toLowerCase()
  return name
    .replace(/\s*[([].*$/s, '')
    .replace(/[*:?]+$/, '')
    .replace(/[\s_-]+/g, ' ')
    .trim()
}

/** Of a row, that are looked at to tell which is what. */
const MAX_COLUMNS = 100
/** How a column of addresses is called in a language or a program that is not known here. */
const LIKE_EMAIL =
  /mail|post|adres|correo|courriel|correio|почт|邮|郵|メール|메일|login|user|account|계정|아이디/i

/** The same section with its head, where that is a row in words that are not known: it names a column below which are addresses. */
export function withHead(section: TableSection): TableSection {
  const [head, ...rows] = section.rows
  if (section.head !== null || head === undefined || head.cells.some((cell) => cell.includes('@')))
    return section
  const isHead = columnCounts(rows).some(
    ({ addresses }, index) => addresses > 0 && LIKE_EMAIL.test(head.cells[index] ?? ''),
  )
  return isHead ? { head, rows } : section
}

/**
 * Which column is what: by the names in the head, else by what is in it.
 * @param chosen the column of addresses; null: nobody said
 * @returns the columns that may be it, where there are several
 */
export function memberColumns({ head, rows }: TableSection, chosen: number | null) {
  const names = (head?.cells ?? []).slice(0, MAX_COLUMNS).map(columnName)
  const emails = names.flatMap((name, index) => (EMAILS.has(name) ? [index] : []))
  const counted = columnCounts(rows)
  const named = emails.filter((index) => (counted[index]?.addresses ?? 0) > 0)
  const holding = counted.flatMap(({ filled, addresses }, index) =>
    addresses > 0 && addresses * 2 >= filled ? [index] : [],
  )
  const [first = emails[0] ?? 0, ...more] = named.length > 0 ? named : holding
  const others = more.filter((index) => rows.some(({ cells }) => cells[index] !== cells[first]))
  if (chosen === null && others.length > 0)
    return [first, ...others].map((index) => ({
      index,
      title: head?.cells[index] ?? '',
      example: rows.map(({ cells }) => cells[index] ?? '').find(isAddress) ?? '',
    }))
  const email = chosen ?? first
  if (head === null) return unnamedColumns(counted, email)
  const [role, whole, given, last] = [ROLES_COLUMN, NAMES, FIRST_NAMES, LAST_NAMES].map((known) => {
    const index = names.findIndex((name) => known.has(name))
    return index < 0 ? null : index
  })
  return columnsAt(email, role ?? null, given ?? whole ?? null, last ?? null)
}

function columnsAt(email: number, role: number | null, name: number | null, last: number | null) {
  return { email, role, name, last, isOurs: email === 0 && role === 1 }
}

/** Without names: a name stands before the address, and in a column of roles most cells name one; ours are address and role. */
function unnamedColumns(counted: ReturnType<typeof columnCounts>, email: number): MemberColumns {
  const named = counted.findIndex(({ filled, roles }, index) => index !== email && roles * 2 > filled)
  const role = named < 0 && email === 0 && counted.length === 2 ? 1 : named
  const name = email - 1 === role || email === 0 ? null : email - 1
  return columnsAt(email, role < 0 ? null : role, name, null)
}

/** How many cells of each column have something in them, an address, a role. */
function columnCounts(rows: readonly TableRow[]) {
  const counts: { filled: number; addresses: number; roles: number }[] = []
  for (const { cells } of rows)
    for (const [index, cell] of cells.slice(0, MAX_COLUMNS).entries()) {
      counts[index] ??= { filled: 0, addresses: 0, roles: 0 }
      const count = counts[index]
      if (cell === '') continue
      count.filled += 1
      if (isAddress(cell)) count.addresses += 1
      else if (ROLES_BY_NAME.has(cell.toLowerCase())) count.roles += 1
    }
  return counts
}
