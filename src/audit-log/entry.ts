import { type AuditSubject, idOf, type Values } from './audited.ts'
import { EVENTS, type EventName } from './kinds.ts'

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
  const { audited } = EVENTS[name]
  if (audited === null) return null
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
