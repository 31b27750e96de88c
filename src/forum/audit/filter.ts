import type { FastifyRequest } from 'fastify'
import { EVENTS } from '../../audit-log/kinds.ts'
import { isDay } from '../../text/dates.ts'
import { queryParam } from '../../web/params.ts'
import { dayAfter } from '../figures/periods.ts'
import { type AuditFilter, peopleNamed } from './entries.ts'

export type TypedFilter = Readonly<Record<(typeof FIELDS)[number], string>>

const FIELDS = ['act', 'actor', 'subject', 'from', 'to'] as const
const MAX_LENGTH = 100

export const STAFF_ACTS = Object.entries(EVENTS)
  .filter(([, { audited }]) => audited?.of === 'staff')
  .map(([name]) => name)

/** `question 12`, `case 57`; `#12` is a question. */
const NAMED = /^(question|answer|reply|case|announcement|course|email|person) #?(\d{1,15})$/i

export function typedFilter(request: FastifyRequest): TypedFilter {
  const typed = FIELDS.map((name) => [name, (queryParam(request, name) ?? '').trim().slice(0, MAX_LENGTH)])
  return Object.fromEntries(typed) as TypedFilter
}

/** The filter that was typed. What is no act and no date counts as empty; a name that nobody has finds nothing. */
export async function readFilter(
  request: FastifyRequest,
  courseId: number | null,
  timeZone: string,
): Promise<AuditFilter> {
  const { act, actor, subject, from, to } = typedFilter(request)
  const { db } = request.server
  const people = (typed: string) =>
    /^\d{1,15}$/.test(typed) ? [Number(typed)] : peopleNamed(db, typed.replace(/^@/, ''), courseId)
  return {
    courseId,
    act: STAFF_ACTS.includes(act) ? act : null,
    actorIds: actor === '' ? null : await people(actor),
    subject: subject === '' ? null : await subjectOf(subject, people),
    from: isDay(from) ? from : null,
    until: isDay(to) ? dayAfter(to, 1) : null,
    timeZone,
  }
}

async function subjectOf(typed: string, people: (typed: string) => number[] | Promise<number[]>) {
  const [, kind = '', id = ''] = NAMED.exec(typed) ?? []
  if (kind !== '') return { kind: kind.toLowerCase(), ids: [Number(id)] }
  if (/^#\d{1,15}$/.test(typed)) return { kind: 'question', ids: [Number(typed.slice(1))] }
  if (/^\d{1,15}$/.test(typed)) return { kind: null, ids: [Number(typed)] }
  return { kind: 'person', ids: await people(typed) }
}
