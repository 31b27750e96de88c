import { type RawBuilder, sql } from 'kysely'

/** A suspension: a person may read but not write, in a course or everywhere. */
export interface Suspension {
  /** null: everywhere. */
  readonly courseId: number | null
  /** The course's title; null: everywhere. */
  readonly course: string | null
  /** An instant in ISO form; null: for good. */
  readonly until: string | null
  /** The note of staff to the person. */
  readonly note: string
  /** The person's, or else the course's. */
  readonly timeZone: string
}

/**
 * The suspensions in force of the person of alias `person`, as JSON, the one that lasts longest first. The one text of SQL that says who
 * is suspended: operations read it with the actor, whichever door they come through. Uses index measures_suspended.
 */
export const suspensionsOfPerson: RawBuilder<readonly Suspension[]> = sql<readonly Suspension[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('courseId', measure.course_id, 'course', course.title, 'until', measure.ends_at,
    'note', matter.note, 'timeZone', coalesce(person.time_zone, course.time_zone, 'UTC')) order by measure.ends_at desc nulls first, measure.id), '[]')
  from measures as measure join cases as matter on matter.id = measure.case_id
  left join courses as course on course.id = measure.course_id
  where measure.person_id = person.id and measure.kind = 'suspend' and measure.ended_at is null
    and (measure.ends_at is null or measure.ends_at > now()))`

/** The suspension that applies in a course; null: none. @param courseId null: outside of courses */
export function suspensionIn(suspensions: readonly Suspension[], courseId: number | null): Suspension | null {
  return suspensions.find((one) => one.courseId === null || one.courseId === courseId) ?? null
}
