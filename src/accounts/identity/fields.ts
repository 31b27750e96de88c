import { line, secret } from '../../kernel/fields.ts'
import { bare, isBlank } from '../../text/characters.ts'
import { fold } from '../../text/words/fold.ts'

/**
 * Names that a reader would take for someone else: the stand-in of an anonymous post, somebody who left, the
 * staff. Their badge tells staff from a namesake, but a stand-in has none.
 */
const RESERVED = [
  'anonymous, anonymous user, anonym, former member, deleted user',
  'staff, course staff, the staff, instructor, instructors, course instructor, teaching assistant, assistant',
  'teacher, moderator, administrator, admin, support, system, handup',
  '익명, 익명 사용자, 익명 회원, 탈퇴한 회원, 탈퇴 회원, 강사, 강사진, 강사님, 운영진, 운영자, 관리자, 조교, 선생님, 시스템',
].flatMap((names) => names.split(', '))

const NUMBER_AT_END = /[\s\p{P}\p{S}\p{N}]+$/u

const SHAPES = new Set(RESERVED.map((name) => fold(name, 'compare')))

/** Whether nobody may take this display name, also with a number after it: "Anonymous 1", "익명1", "ｃｏｕｒｓｅ Ｓtаff". */
export function isReservedName(name: string): boolean {
  const plain = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return [plain, plain.replace(NUMBER_AT_END, '')].some((one) => SHAPES.has(fold(one, 'compare')))
}

export const DISPLAY_NAME = { min: 1, max: 50 } as const
export const PASSWORD = { min: 8, max: 256 } as const

/**
 * An address as mail servers everywhere take it: the form of HTML's `<input type="email">`, a domain with a
 * dot, no dot at an end or beside another before the @. Each part is bounded, so the pattern is linear.
 */
const ADDRESS =
  /^(?!\.)(?!.*\.\.)[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?<!\.)@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** A name that can be seen, as one of zero-width spaces can't, and that nobody takes for someone else's: isReservedName. */
export const displayName = () =>
  line({ ...DISPLAY_NAME, short: 'accounts.name.short', long: 'accounts.name.long' })
    .refine((name) => !isBlank(name), { error: 'accounts.name.short', abort: true })
    .refine((name) => !isReservedName(name), { error: 'accounts.name.reserved' })
    .meta({ autocomplete: 'name' })

/** An e-mail address in lower case, as it is stored: one mailbox is one account. */
export const email = () =>
  anyEmail(bare).refine((address) => ADDRESS.test(address), { error: 'accounts.email.wrong' })

/** An address of any form, to be looked for: a wrong one is simply nobody's. */
export const anyEmail = (mended = (typed: string) => typed) =>
  line({ min: 1, max: 254, short: 'accounts.email.short', long: 'accounts.email.long' })
    .transform((address) => mended(address).toLowerCase())
    .meta({ format: 'email', autocomplete: 'username' })

/** A password to be. Whether it is easy to guess depends on more than itself: passwords.ts. */
export const newPassword = () =>
  secret({ ...PASSWORD, short: 'accounts.password.short', long: 'accounts.password.long' }, 'new-password')

/** A password somebody has already, of whatever length it was taken. */
export const knownPassword = () =>
  secret({ min: 1, max: PASSWORD.max, short: 'accounts.password.missing', long: 'accounts.password.long' })

/** The current password again, in a form that asks for it only of some: empty where none is asked for. */
export const passwordAgain = () => secret({ min: 0, max: PASSWORD.max, long: 'accounts.password.long' })
