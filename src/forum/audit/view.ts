import type { Language } from '../../database/schema.ts'
import { hasMessage, type Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { coursePath, personPath } from '../../web/paths.ts'
import type { AuditRow } from './entries.ts'

/** An entry of the audit log: views/audit/_entries.eta. */
export interface EntryView {
  readonly happenedAt: Moment
  /** A name, or a word for who has none (any more). */
  readonly by: string
  readonly role: string
  readonly act: string
  readonly about: { readonly text: string; readonly path: string | null }
  /** Shown where entries are of several courses. */
  readonly course: { readonly text: string; readonly path: string; readonly lang: Language } | null
  readonly details: string
  /** The address that redacts it; null: already redacted, or not offered. */
  readonly redactionPath: string | null
}

/** The page of an entry's subject; answers and replies have none of their own. */
const PATHS: Readonly<Record<string, (id: number) => string>> = {
  question: (id) => `/questions/${id}`,
  announcement: (id) => `/announcements/${id}`,
  case: (id) => `/cases/${id}`,
}

const ROLES: readonly string[] = ['learner', 'assistant', 'instructor']

export function entryView(t: Translate, row: AuditRow, timeZone: string, mayRedact: boolean): EntryView {
  const { id, act, role, course_slug, course_title, course_language } = row
  const details = Object.entries(row.detail)
  const isFull = row.subject_id !== null || details.length > 0
  return {
    happenedAt: writtenMoment(row.happened_at, timeZone, t),
    by: nameOf(t, row),
    role: t(ROLES.includes(role) ? `members.role.${role}` : `audit.role.${role}`),
    act: actText(t, act),
    about: aboutOf(t, row),
    course:
      course_slug === null || course_title === null || course_language === null
        ? null
        : { text: course_title, path: coursePath(course_slug), lang: course_language },
    details: row.is_redacted
      ? t('audit.redacted')
      : details.map(([field, value]) => detailText(t, field, value)).join(', '),
    redactionPath: mayRedact && isFull ? `/audit/${id}/redaction` : null,
  }
}

function nameOf(t: Translate, { actor_id, actor_name, role }: AuditRow): string {
  if (actor_name !== null) return actor_name
  return actor_id === null ? t(`audit.role.${role}`) : t('audit.former', { id: actor_id })
}

function aboutOf(t: Translate, row: AuditRow): EntryView['about'] {
  const { subject_kind: kind, subject_id: id, person_name: name } = row
  if (kind === null || id === null) return { text: '', path: null }
  if (kind === 'person')
    return name === null
      ? { text: t('audit.former', { id }), path: null }
      : { text: name, path: personPath({ id, displayName: name }) }
  if (kind === 'course') return { text: row.course_title ?? t('audit.about.course', { id }), path: null }
  return { text: t(`audit.about.${kind}`, { id }), path: PATHS[kind]?.(id) ?? null }
}

/** The action in words. @param act an event of the log */
export function actText(t: Translate, act: string): string {
  const key = act.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return t(`audit.act.${key}`)
}

function detailText(t: Translate, field: string, value: string | number | boolean): string {
  const label = t(`audit.detail.${field}`)
  // A provider's own name is none of ours.
  if (field === 'way' && hasMessage(`audit.way.${value}`)) return `${label}: ${t(`audit.way.${value}`)}`
  if (field === 'ground') return `${label}: ${t(`cases.redact.ground.${value}`)}`
  return `${label}: ${field === 'act' ? decisionText(t, String(value)) : valueText(t, value)}`
}

/** Says in words what was decided. @param act of the event `moderated`; each measure that is lifted has its own: `lift-hide` */
function decisionText(t: Translate, act: string): string {
  const key = `audit.decision.${act.startsWith('lift-') ? 'lift' : act}`
  return hasMessage(key) ? t(key) : act
}

function valueText(t: Translate, value: string | number | boolean): string {
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no')
  return ROLES.includes(String(value)) ? t(`members.role.${value}`) : String(value)
}
