import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { AuditRole, Database, Write } from '../../database/schema.ts'
import { type AuditSubject, type Details, EVENTS, type EventName, idOf, type Values } from './kinds.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Entries that this request noted for the audit log outside of an operation, written before it is answered; null: nothing. */
    auditEntries: AuditEntry[] | null
  }
}

/**
 * Logs an event of a request: one line of JSON with the request's id and the account. One for the audit log
 * is written before the answer; an operation notes its events itself, in its transaction.
 * @param error the cause, with its stack; only for internal errors
 */
export function noteEvent<Name extends EventName>(
  request: FastifyRequest,
  name: Name,
  details: Details<Name>,
  error?: unknown,
): void {
  const noted = { personId: request.person?.id ?? null, ...details }
  const entry = auditEntryOf(name, noted)
  if (entry !== null) request.auditEntries = [...(request.auditEntries ?? []), entry]
  logEvent(request, name, noted, error)
}

/** Writes the line of an event of a request, with the network address where its kind has one. */
export function logEvent<Name extends EventName>(
  request: FastifyRequest,
  name: Name,
  details: Details<Name>,
  error?: unknown,
): void {
  const fields: readonly string[] = EVENTS[name].fields
  const address = fields.includes('address') ? { address: request.ip } : {}
  writeEvent(request.log, name, { ...address, ...details }, error)
}

/** How many events of each name this process has noted, and of jobs and mails that came in of each kind or outcome. */
export const eventCounts: Map<string, { readonly event: EventName; readonly about: string; count: number }> =
  new Map()

/** The same outside a request: a delivered mail, a malformed message on a connection. */
export function writeEvent<Name extends EventName>(
  log: FastifyBaseLogger,
  name: Name,
  details: Details<Name>,
  error?: unknown,
): void {
  const { level, says } = EVENTS[name]
  const line: Record<string, unknown> = { event: name, ...details }
  countEvent(name, line)
  if (error !== undefined) line.err = error
  log[level](line, says)
}

/** Fields with few values that say what an event was about. */
const ABOUT: Partial<Record<EventName, (line: Readonly<Record<string, unknown>>) => string>> = {
  'job-failed': ({ kind, isGivenUp }) => `${kind}${isGivenUp === true ? ' given up' : ''}`,
  'mail-sent': ({ kind }) => String(kind),
  'mail-received': ({ outcome }) => String(outcome),
}

function countEvent(event: EventName, line: Readonly<Record<string, unknown>>): void {
  const about = ABOUT[event]?.(line) ?? ''
  const key = `${event} ${about}`
  const known = eventCounts.get(key)
  if (known === undefined) eventCounts.set(key, { event, about, count: 1 })
  else known.count += 1
}

/**
 * Writes entries of the audit log, in the transaction of what they tell of where there is one. The course of
 * a post is looked up, and the role that the actor has in it now is stored.
 * @param without who acted where it was nobody with an account
 */
export async function recordAudit(
  write: Database | Write,
  entries: readonly AuditEntry[],
  without: Extract<AuditRole, 'visitor' | 'operator' | 'forum'> = 'visitor',
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ act, actorId, isOwn, courseId, subject, detail }) => ({
    ...{ act, detail, is_own: isOwn, actor_id: actorId, course_id: courseId },
    ...{ subject_kind: subject?.kind ?? null, subject_id: subject?.id ?? null },
  }))
  await sql`
    insert into audit (act, actor_id, role, course_id, subject_kind, subject_id, detail)
    select entry.act, entry.actor_id,
      case when entry.is_own then 'self'
        when entry.actor_id is null then ${without}
        when (select is_admin from people where id = entry.actor_id) then 'admin'
        else coalesce((select role::text from course_members as member
          where member.course_id = place.id and member.person_id = entry.actor_id), 'outsider') end,
      place.id, entry.subject_kind, entry.subject_id, entry.detail
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (act text, actor_id bigint, is_own boolean,
        course_id bigint, subject_kind text, subject_id bigint, detail jsonb))
      with ordinality as entry(act, actor_id, is_own, course_id, subject_kind, subject_id, detail, position)
    cross join lateral (select coalesce(entry.course_id, case entry.subject_kind
      when 'question' then (select question.course_id from questions as question where question.id = entry.subject_id)
      when 'answer' then (select question.course_id from answers as answer
        join questions as question on question.id = answer.question_id where answer.id = entry.subject_id)
      when 'reply' then (select question.course_id from replies as reply
        join questions as question on question.id = reply.question_id where reply.id = entry.subject_id)
      end) as id) as place
    order by entry.position`.execute(write)
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
/** Of several posts or cases: questions, and after its word what is something else. */
const IDS = /^(?:(?:answer|reply|case|\d{1,15})(?: |$)){1,103}$/

/** The entry of an event; null: it is none for the audit log. @param details with `personId` */
export function auditEntryOf(name: EventName, details: Values): AuditEntry | null {
  const { audited } = EVENTS[name]
  if (audited === null) return null
  const actorId = idOf(details.personId)
  if (audited.of === 'self' && actorId === null) return null
  const subject = audited.subject?.(details) ?? null
  if (audited.subject !== undefined && subject === null) return null
  const taken: readonly string[] = [...LEFT_OUT, ...(audited.names ?? [])]
  const fields = EVENTS[name].fields.filter((field) => !taken.includes(field))
  const detail = fields.flatMap((field) => {
    const value = details[field]
    const isKept = typeof value === 'number' || typeof value === 'boolean'
    return isKept || (typeof value === 'string' && (WORD.test(value) || IDS.test(value)))
      ? [[field, value] as const]
      : []
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

/** Deletes entries that are older than the forum's setting says, some at a time. @returns how many */
export async function sweepAudit(db: Database): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    select prune_audit(make_interval(months => coalesce((select audit_months from site_settings), 24))) as deleted`.execute(
    db,
  )
  return rows[0]?.deleted ?? 0
}
