import { sql } from 'kysely'
import type { MeasureKind, Write } from '../../database/schema.ts'
import { OPERATOR } from '../../operations/actor.ts'
import type { Doing } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import type { Place } from '../../rights/rights.ts'
import { mayHandle } from '../handling/handlers.ts'
import { isPastRestoring, isRemoval } from '../handling/in-force.ts'
import { type FoundCase, handledOf, selectCase } from './find.ts'
import { lockCase } from './locks.ts'

/** A case that operations are done to, as a place of its course; those of the forum are nobody's but the admins'. */
export interface SubjectCase extends Place {
  readonly id: number
  readonly case: FoundCase
}

/** A measure, and its case. */
export interface SubjectMeasure extends SubjectCase {
  readonly measureId: number
  readonly kind: MeasureKind
  readonly isEverywhere: boolean
  readonly madeBy: number | null
  /** All posts of an account were deleted, too long ago for staff to restore them. */
  readonly isPastRestoring: boolean
}

/** No course has it: what is of none is open to admins alone. */
export const NO_COURSE = 0

/** Locks a case, and the question that it is about. @throws Problem 'notFound' */
export async function caseSubject(write: Write, id: number): Promise<SubjectCase> {
  const matter = (await lockCase(write, id)) ? await selectCase(write, id) : null
  if (matter === null) throw notFound()
  return {
    id,
    case: matter,
    courseId: matter.course_id ?? NO_COURSE,
    isPublic: false,
    isOpen: false,
    isArchived: false,
  }
}

/** Locks the case of a measure. @throws Problem 'notFound' */
export async function measureSubject(write: Write, measureId: number): Promise<SubjectMeasure> {
  const measure = await write
    .selectFrom('measures as measure')
    .innerJoin('cases as matter', 'matter.id', 'measure.case_id')
    .select(['case_id', 'kind', 'is_everywhere', 'made_by'])
    .select(sql<boolean>`${isRemoval} and ${isPastRestoring}`.as('is_past'))
    .where('measure.id', '=', measureId)
    .executeTakeFirst()
  if (measure === undefined) throw notFound()
  const { case_id: id, kind, is_everywhere: isEverywhere, made_by: madeBy, is_past: isPast } = measure
  return {
    ...(await caseSubject(write, id)),
    ...{ measureId, kind, isEverywhere, madeBy, isPastRestoring: isPast },
  }
}

/** A case isn't there for whoever may not handle it. */
export function mustHandle({ actor, subject }: Pick<Doing<unknown, SubjectCase>, 'actor' | 'subject'>): void {
  if (actor !== OPERATOR && !mayHandle(actor, handledOf(subject.case))) throw notFound()
}
