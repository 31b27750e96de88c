import { sql } from 'kysely'
import type { ReportReason, Write } from '../../database/schema.ts'
import { stateReasons } from './decide.ts'
import { findSubjectText } from './subject.ts'

/** Opens and decides a case in one step, from a person's page. */
export interface ActOfStaff {
  readonly personId: number
  /** null: everywhere. */
  readonly courseId: number | null
  readonly reason: ReportReason
  /** Of the course or the forum; empty: none is named. */
  readonly rule: string
  readonly note: string
  readonly kind: 'suspend' | 'delete'
  /** null: for good. */
  readonly endsAt: Date | null
}

/**
 * Takes a measure about a person with a decided case of its own: reasons, objection and end are those of every measure.
 * @returns the measure's id; null: the account is gone
 */
export async function actOnPerson(write: Write, actorId: number, act: ActOfStaff): Promise<number | null> {
  const { personId, courseId, reason, rule, note, kind, endsAt } = act
  const text = await findSubjectText(write, { about: 'person', id: personId })
  if (text === null) return null
  const matter = await write
    .insertInto('cases')
    .values({
      subject: `person-${personId}`,
      person_id: personId,
      course_id: courseId,
      is_for_admins: courseId === null,
      opened_by: actorId,
      is_reported: false,
      text_version: text.textVersion,
      reason,
      state: 'upheld',
      decided_at: sql`now()`,
      decided_by: actorId,
      rule,
      note,
    })
    .returning(['id', 'question_id', 'answer_id', 'reply_id', 'person_id', 'course_id', 'reason'])
    .executeTakeFirstOrThrow()
  const measure = await write
    .insertInto('measures')
    .values({
      case_id: matter.id,
      kind,
      person_id: personId,
      course_id: courseId,
      is_everywhere: courseId === null,
      ends_at: endsAt,
      made_by: actorId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await stateReasons(write, matter)
  return measure.id
}
