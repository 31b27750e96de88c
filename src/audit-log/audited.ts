import { EVENTS, type EventName } from './kinds.ts'

/** The subject of an audit log entry. */
export interface AuditSubject {
  readonly kind: string
  readonly id: number | null
}

type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

interface Audited {
  /** 'staff': of a course or the forum; 'self': of one's own account, which only its owner reads. */
  readonly of: 'staff' | 'self'
  readonly subject?: (values: Values) => AuditSubject | null
  /** Fields that say what it is about, and are no details. */
  readonly names?: readonly string[]
}

const idOf = (value: Values[string]) => (typeof value === 'number' ? value : null)
const about = (kind: string, field: string): Audited => ({
  of: 'staff',
  subject: (values) => ({ kind, id: idOf(values[field]) }),
  names: [field],
})
const self = { of: 'self' } as const
const course: Audited = { of: 'staff', subject: ({ courseId }) => ({ kind: 'course', id: idOf(courseId) }) }
const forum: Audited = { of: 'staff' }
const member = about('person', 'memberId')
const POSTS: readonly Values[string][] = ['question', 'answer', 'reply']
/** A post of somebody else: what people do with their own posts is their own affair. */
const post: Audited = {
  of: 'staff',
  subject: ({ kind, id, authorId, personId }) =>
    authorId === personId || !POSTS.includes(kind) ? null : { kind: String(kind), id: idOf(id) },
  names: ['kind', 'id', 'authorId'],
}

/** Log events that go into the audit log. */
export const AUDITED: { readonly [Name in EventName]?: Audited } = {
  'sign-in': self,
  'sign-in-refused': self,
  'sign-in-limited': self,
  'sign-out': self,
  'session-ended': self,
  'other-sessions-ended': self,
  'new-password-asked': self,
  'password-changed': self,
  'reauthentication-refused': self,
  'reauthentication-limited': self,
  'email-confirmed': self,
  'account-claimed': self,
  'email-change-asked': self,
  'email-change-undone': self,
  'second-factor-on': self,
  'second-factor-off': self,
  'recovery-codes-made': self,
  'password-removed': self,
  'token-made': self,
  'token-revoked': self,
  'course-token-made': course,
  'course-token-revoked': course,
  'account-linked': self,
  'account-unlinked': self,
  'provider-ended-sessions': self,
  'passkey-added': self,
  'passkey-refused': self,
  'passkey-renamed': self,
  'passkey-removed': self,
  'own-data-taken': self,
  'account-deleted': self,
  'course-left': course,
  'course-made': course,
  'course-settings-changed': course,
  'course-archived': course,
  'course-lectures-changed': course,
  'course-categories-changed': course,
  'policy-changed': forum,
  'provider-changed': forum,
  'sign-in-link-made': about('person', 'ownerId'),
  announced: course,
  'announcement-edited': about('announcement', 'id'),
  'faq-changed': course,
  'members-added': course,
  'member-role-changed': member,
  'member-removed': member,
  'waiting-role-removed': course,
  'waiting-role-changed': course,
  'invitations-mailed': course,
  'invitation-made': course,
  'invitation-ended': course,
  'course-joined': course,
  'set-up': forum,
  'site-settings-changed': forum,
  'post-edited': post,
  'version-redacted': post,
  'post-deleted': post,
  'post-restored': post,
  'staff-decided': {
    of: 'staff',
    subject: ({ questionId, answerId }) =>
      idOf(answerId) === null
        ? { kind: 'question', id: idOf(questionId) }
        : { kind: 'answer', id: idOf(answerId) },
    names: ['questionId', 'answerId'],
  },
  'question-withdrawn': {
    of: 'staff',
    subject: ({ id, authorId, personId }) =>
      authorId === personId ? null : { kind: 'question', id: idOf(id) },
    names: ['id', 'authorId'],
  },
  moderated: {
    of: 'staff',
    subject: ({ caseId, authorId }) =>
      idOf(caseId) === null ? { kind: 'person', id: idOf(authorId) } : { kind: 'case', id: idOf(caseId) },
    names: ['caseId', 'authorId'],
  },
  'mail-read': forum,
  'mail-sent-again': about('email', 'mailId'),
  'test-mail-sent': forum,
  'job-retried': forum,
  'admin-changed': about('person', 'ownerId'),
  'accounts-merged': about('person', 'ownerId'),
  'account-merge-undone': about('person', 'ownerId'),
  'account-removed': about('person', 'ownerId'),
  'course-deleted': course,
  'course-restored': course,
  'audit-redacted': about('entry', 'entryId'),
}

/** An entry as it is written; the role is looked up then. */
export interface AuditEntry {
  readonly act: EventName
  readonly actorId: number | null
  readonly isOwn: boolean
  readonly courseId: number | null
  readonly subject: AuditSubject | null
  readonly detail: Readonly<Record<string, string | number | boolean>>
}

/** Never in the audit log, though the log has them for a short time. */
const LEFT_OUT = ['personId', 'courseId', 'address', 'key', 'reason', 'path']
/** Limits text details to words of the code: no name, address or text. */
const WORD = /^[a-z][a-zA-Z-]{0,30}$/

/** The entry of an event; null: it is none for the audit log. @param details with `personId` */
export function auditEntryOf(name: EventName, details: Values): AuditEntry | null {
  const audited = AUDITED[name]
  if (audited === undefined) return null
  const actorId = idOf(details.personId)
  if (audited.of === 'self' && actorId === null) return null
  const subject = audited.subject?.(details) ?? null
  // A post of one's own.
  if (audited.subject !== undefined && subject === null) return null
  const taken: readonly string[] = [...LEFT_OUT, ...(audited.names ?? [])]
  const fields = EVENTS[name].fields.filter((field) => !taken.includes(field))
  const detail = fields.flatMap((field) => {
    const value = details[field]
    const isKept = typeof value === 'number' || typeof value === 'boolean'
    return isKept || (typeof value === 'string' && WORD.test(value)) ? [[field, value] as const] : []
  })
  return {
    act: name,
    actorId,
    isOwn: audited.of === 'self',
    courseId: idOf(details.courseId),
    subject,
    detail: Object.fromEntries(detail),
  }
}
