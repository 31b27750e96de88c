/** The subject of an audit log entry. */
export interface AuditSubject {
  readonly kind: string
  readonly id: number | null
}

/** The details an event is noted with. */
export type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

/** How the audit log has an event. */
export interface Audited {
  /** 'staff': of a course or the forum; 'self': of one's own account, which only its owner reads. */
  readonly of: 'staff' | 'self'
  readonly subject?: (values: Values) => AuditSubject | null
  /** Fields that say what it is about, and are no details. */
  readonly names?: readonly string[]
}

/** A value that is an id. */
export const idOf = (value: Values[string]) => (typeof value === 'number' ? value : null)
export const about = (kind: string, field: string): Audited => ({
  of: 'staff',
  subject: (values) => ({ kind, id: idOf(values[field]) }),
  names: [field],
})
export const self = { of: 'self' } as const
export const course: Audited = {
  of: 'staff',
  subject: ({ courseId }) => ({ kind: 'course', id: idOf(courseId) }),
}
export const forum: Audited = { of: 'staff' }
export const member = about('person', 'memberId')
const POSTS: readonly Values[string][] = ['question', 'answer', 'reply']
/** A post of somebody else: what people do with their own posts is their own affair. */
export const post: Audited = {
  of: 'staff',
  subject: ({ kind, id, authorId, personId }) =>
    authorId === personId || !POSTS.includes(kind) ? null : { kind: String(kind), id: idOf(id) },
  names: ['kind', 'id', 'authorId'],
}

export const decided: Audited = {
  of: 'staff',
  subject: ({ questionId, answerId }) =>
    idOf(answerId) === null
      ? { kind: 'question', id: idOf(questionId) }
      : { kind: 'answer', id: idOf(answerId) },
  names: ['questionId', 'answerId'],
}
export const withdrawn: Audited = {
  of: 'staff',
  subject: ({ id, authorId, personId }) =>
    authorId === personId ? null : { kind: 'question', id: idOf(id) },
  names: ['id', 'authorId'],
}
export const handled: Audited = {
  of: 'staff',
  subject: ({ caseId, authorId }) =>
    idOf(caseId) === null ? { kind: 'person', id: idOf(authorId) } : { kind: 'case', id: idOf(caseId) },
  names: ['caseId', 'authorId'],
}
