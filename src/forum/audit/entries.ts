import { sql } from 'kysely'
import { z } from 'zod'
import { FIRST_PAGE, type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { csvOf } from '../../text/csv.ts'

const ENTRIES_PER_PAGE = 50
/** Lines of a CSV file: a spreadsheet opens so many. */
const MAX_CSV_ENTRIES = 50_000
/** People that a name stands for at most. */
const MAX_NAMED = 200

/** The filter of entries; null: any value. */
export interface AuditFilter {
  readonly courseId: number | null
  readonly act: string | null
  readonly actorIds: readonly number[] | null
  readonly subject: {
    /** null: of any kind. */
    readonly kind: string | null
    readonly ids: readonly number[]
  } | null
  /** The first day, such as 2026-12-01. */
  readonly from: string | null
  /** The day after the last one. */
  readonly until: string | null
  /** Days begin and end in it. */
  readonly timeZone: string
}

export type AuditRow = Awaited<ReturnType<typeof listAudit>>['rows'][number]

/** Lists acts of staff, newest first. Indexes audit_happened, audit_course, audit_actor, audit_subject. */
export async function listAudit(db: Database, filter: AuditFilter, request: PageRequest) {
  const rows = await selectActs(db, filter, request)
    .limit(ENTRIES_PER_PAGE + 1)
    .execute()
  return pageOf(rows, ENTRIES_PER_PAGE, request, (row) => row.happened_at)
}

function selectActs(db: Database, filter: AuditFilter, request: PageRequest) {
  const { courseId, act, actorIds, subject, from, until, timeZone } = filter
  const midnight = (day: string | null) => sql<Date>`(${day}::date::timestamp at time zone ${timeZone})`
  const among = (ids: readonly number[] = []) => sql<number>`any(${[...ids]}::bigint[])`
  return selectPage(db, request)
    .where('entry.role', '<>', 'self')
    .$if(courseId !== null, (acts) => acts.where('entry.course_id', '=', courseId))
    .$if(act !== null, (acts) => acts.where('entry.act', '=', act ?? ''))
    .$if(actorIds !== null, (acts) => acts.where('entry.actor_id', '=', among(actorIds ?? [])))
    .$if(subject !== null, (acts) => acts.where('entry.subject_id', '=', among(subject?.ids)))
    .$if(subject?.kind != null, (acts) => acts.where('entry.subject_kind', '=', subject?.kind ?? ''))
    .$if(from !== null, (acts) => acts.where('entry.happened_at', '>=', midnight(from)))
    .$if(until !== null, (acts) => acts.where('entry.happened_at', '<', midnight(until)))
}

/** Index audit_actor. */
export async function listOwnEvents(db: Database, personId: number, request: PageRequest) {
  const rows = await selectPage(db, request)
    .where('entry.role', '=', 'self')
    .where('entry.actor_id', '=', personId)
    .limit(ENTRIES_PER_PAGE + 1)
    .execute()
  return pageOf(rows, ENTRIES_PER_PAGE, request, (row) => row.happened_at)
}

/**
 * The people whose name has this part, or whose address: of members alone for the staff of a course, who see no others. Indexes
 * people_name_parts, people_email_parts.
 */
export async function peopleNamed(db: Database, name: string, courseId: number | null): Promise<number[]> {
  const part = `%${name.replace(/[\\%_]/g, '\\$&')}%`
  const rows = await db
    .selectFrom('people')
    .select('id')
    .where((where) => {
      const members = where.selectFrom('course_members').select('person_id').where('course_id', '=', courseId)
      const email = where('email', 'ilike', part)
      const seen = courseId === null ? email : where.and([email, where('id', 'in', members)])
      return where.or([where('display_name', 'ilike', part), seen])
    })
    .orderBy('id')
    .limit(MAX_NAMED)
    .execute()
  return rows.map(({ id }) => id)
}

function selectPage(db: Database, request: PageRequest) {
  const page = pageAlong('entry.happened_at', 'entry.id', 'time', request)
  return db
    .selectFrom('audit as entry')
    .leftJoin('people as actor', (join) =>
      join.onRef('actor.id', '=', 'entry.actor_id').on('actor.left_at', 'is', null),
    )
    .leftJoin('people as person', (join) =>
      join
        .on('entry.subject_kind', '=', 'person')
        .onRef('person.id', '=', 'entry.subject_id')
        .on('person.left_at', 'is', null),
    )
    .leftJoin('courses as course', 'course.id', 'entry.course_id')
    .select(['entry.id', 'entry.happened_at', 'entry.act', 'entry.actor_id', 'entry.role', 'entry.detail'])
    .select(['entry.subject_kind', 'entry.subject_id', 'entry.course_id'])
    .select(sql<boolean>`entry.redacted_at is not null`.as('is_redacted'))
    .select(['actor.display_name as actor_name', 'person.display_name as person_name'])
    .select([
      'course.slug as course_slug',
      'course.title as course_title',
      'course.language as course_language',
    ])
    .where(page.beyond)
    .orderBy(page.order)
}

/** Empties what an entry is about, for data that should not be there; when, who and what stay, and that it was emptied is an entry. */
export const redactEntry = operation({
  name: 'redact-audit-entry',
  right: 'redact-audit',
  find: async () => null,
  input: { entry: z.string().transform((id) => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0)) },
  events: ['audit-redacted'],
  async run({ write, input: { entry }, note }) {
    const { rows } = await sql<{ done: boolean }>`select redact_audit(${entry}) as done`.execute(write)
    if (rows[0]?.done !== true) throw notFound()
    note('audit-redacted', { entryId: entry })
  },
})

/** Entries as CSV, the same in every language: times in UTC, details as JSON. */
export async function auditCsv(db: Database, filter: AuditFilter): Promise<string> {
  const rows = await selectActs(db, filter, FIRST_PAGE).limit(MAX_CSV_ENTRIES).execute()
  const columns = ['time', 'actor', 'actor_name', 'role', 'act', 'course', 'subject', 'subject_id', 'details']
  const records = rows.map((row) => [
    row.happened_at.toISOString(),
    row.actor_id === null ? '' : String(row.actor_id),
    row.actor_name ?? '',
    row.role,
    row.act,
    row.course_slug ?? (row.course_id === null ? '' : String(row.course_id)),
    row.subject_kind ?? '',
    row.subject_id === null ? '' : String(row.subject_id),
    Object.keys(row.detail).length === 0 ? '' : JSON.stringify(row.detail),
  ])
  return csvOf([columns, ...records])
}
