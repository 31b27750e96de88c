import type { Role } from '../../database/schema.ts'

/** Which cell of a line is what. */
export interface MemberColumns {
  readonly delimiter: string
  readonly email: number
  /** null: no column names roles. */
  readonly role: number | null
}

/** What mail programs, Canvas, Moodle, Classroom and spreadsheets call the columns. Others, such as names, are not read. */
const EMAILS: ReadonlySet<string> = new Set([
  ...['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'primary email', 'email id'],
  ...['이메일', '이메일 주소', '메일', '메일 주소'],
])
const ROLES_COLUMN: ReadonlySet<string> = new Set(['role', 'roles', 'course role', '역할', '권한'])

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

/** The role that a word names, in any of the systems; null: none. */
export function roleNamed(word: string): Role | null {
  return ROLES_BY_NAME.get(word.normalize('NFC').trim().toLowerCase()) ?? null
}

/** Columns in any order, by a line that names them. @returns null: the line names none */
export function memberColumns(line: string): MemberColumns | null {
  if (line.includes('@')) return null
  for (const delimiter of [',', ';', '\t']) {
    const names = cellsOf(line, delimiter).map((cell) => cell.normalize('NFC').toLowerCase())
    const email = names.findIndex((name) => EMAILS.has(name))
    const role = names.findIndex((name) => ROLES_COLUMN.has(name))
    if (email >= 0) return { delimiter, email, role: role < 0 ? null : role }
  }
  return null
}

/** The cells of a line, without quotes around them. A delimiter between quotes is text. */
export function cellsOf(line: string, delimiters: string): string[] {
  const cells: string[] = []
  let [cell, isQuoted] = ['', false]
  for (const letter of line) {
    if (letter === '"') isQuoted = !isQuoted
    if (!isQuoted && delimiters.includes(letter)) {
      cells.push(cell)
      cell = ''
    } else cell += letter
  }
  return [...cells, cell].map((one) =>
    one
      .trim()
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"'),
  )
}
