import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/**
 * A person's own reports, the decisions about them with the reasons, and their objections. Nothing of who reported them, and
 * nothing that staff noted among themselves.
 */
export async function ownCases(db: Database, personId: number) {
  const [reports, { rows: decisions }] = await Promise.all([
    db
      .selectFrom('reports')
      .innerJoin('cases', 'cases.id', 'reports.case_id')
      .select([
        'cases.subject as about',
        'reports.reason',
        'reports.note',
        'reports.reported_at as reportedAt',
      ])
      .select('cases.state as outcome')
      .where('reports.person_id', '=', personId)
      .orderBy('reports.id')
      .execute(),
    sql<Record<string, unknown>>`
      select matter.subject as about, measures.kind, measures.is_everywhere as "isEverywhere", course.title as course, matter.rule,
        matter.note as reason, matter.is_reported as "wasReported", measures.starts_at as "startsAt", measures.ends_at as "endsAt",
        measures.ended_at as "endedAt", measures.ended_how as "endedHow", measures.end_note as "endNote",
        objections.note as objection, objections.outcome as "objectionOutcome", objections.answer as "objectionAnswer"
      from measures join cases as matter on matter.id = measures.case_id
      left join courses as course on course.id = matter.course_id
      left join objections on objections.measure_id = measures.id
      where measures.person_id = ${personId} order by measures.id`.execute(db),
  ])
  return { reports, decisions }
}
