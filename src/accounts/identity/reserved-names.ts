import { fold } from '../../text/fold.ts'

/**
 * Names that a reader would take for someone else: the stand-in of an anonymous post, somebody who left, the staff. Their badge tells
 * staff from a namesake, but a stand-in has none.
 */
const RESERVED = [
  ...['anonymous', 'anonymous user', 'anonym', 'former member', 'deleted user'],
  ...[
    'staff',
    'course staff',
    'the staff',
    'instructor',
    'instructors',
    'course instructor',
    'teaching assistant',
    'assistant',
  ],
  ...['teacher', 'moderator', 'administrator', 'admin', 'support', 'system', 'handup'],
  ...[
    '익명',
    '익명 사용자',
    '익명 회원',
    '탈퇴한 회원',
    '탈퇴 회원',
    '강사',
    '강사진',
    '강사님',
    '운영진',
    '운영자',
    '관리자',
    '조교',
    '선생님',
    '시스템',
  ],
]

const NUMBER_AT_END = /[\s\p{P}\p{S}\p{N}]+$/u

const SHAPES = new Set(RESERVED.map((name) => fold(name, 'compare')))

/** Whether nobody may take this display name, also with a number after it: "Anonymous 1", "익명1", "ｃｏｕｒｓｅ Ｓtаff". */
export function isReservedName(name: string): boolean {
  const plain = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return [plain, plain.replace(NUMBER_AT_END, '')].some((one) => SHAPES.has(fold(one, 'compare')))
}
