import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { OPERATOR } from '../../kernel/actor.ts'
import type { Doing } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { mayHandle } from '../handling/handlers.ts'
import { isPastRestoring, isRemoval } from '../handling/in-force.ts'
import { handledOf, selectCase } from './find.ts'
import { questionOfMatter } from './subject.ts'

/** A case that operations are done to, as a place of its course; those of the forum are nobody's but the admins'. */
export type SubjectCase = Awaited<ReturnType<typeof caseSubject>>
export type SubjectMeasure = Awaited<ReturnType<typeof measureSubject>>

/** No course has it: what is of none is open to admins alone. */
export const NO_COURSE = 0

/** Locks a case, and the question that it is about. @throws Problem 'notFound' */
export async function caseSubject(write: Write, id: number) {
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

/**
 * Locks the case of a measure. `isPastRestoring`: all posts of an account were deleted, too long ago for staff to restore them.
 * @throws Problem 'notFound'
 */
export async function measureSubject(write: Write, measureId: number) {
  const measure = await write
    .selectFrom('measures as measure')
    .innerJoin('cases as matter', 'matter.id', 'measure.case_id')
    .select(['case_id', 'kind', 'is_everywhere as isEverywhere', 'made_by as madeBy'])
    .select(sql<boolean>`${isRemoval} and ${isPastRestoring}`.as('isPastRestoring'))
    .where('measure.id', '=', measureId)
    .executeTakeFirst()
  if (measure === undefined) throw notFound()
  const { case_id: id, ...found } = measure
  return { ...(await caseSubject(write, id)), measureId, ...found }
}

/** The log fields of a case: those of admins are in no course's log. */
export function noted({ id, case: { course_id: courseId, is_for_admins: isForAdmins } }: SubjectCase) {
  return { caseId: id, courseId: isForAdmins ? null : courseId }
}

/** A case isn't there for whoever may not handle it. */
export function mustHandle({ actor, subject }: Pick<Doing<unknown, SubjectCase>, 'actor' | 'subject'>): void {
  if (actor !== OPERATOR && !mayHandle(actor, handledOf(subject.case))) throw notFound()
}

/**
 * Locks a case, and before it the question that its post belongs to: as posting and reporting do, which lock the question first. Rows
 * that refer to the case can still be added. @returns false: there is none
 */
export async function lockCase(write: Write, id: number): Promise<boolean> {
  await sql`
    select from questions where id = (select ${questionOfMatter} from cases as matter where matter.id = ${id})
    for no key update`.execute(write)
  const locked = await write
    .selectFrom('cases')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return locked !== undefined
}

/**
 * Waits for what somebody is posting, and keeps them from posting more until the transaction ends: what they write from then on knows
 * that they are suspended. readActor holds the other side of this lock.
 */
export async function lockWriter(write: Write, personId: number): Promise<void> {
  await sql`select from people where id = ${personId} for update`.execute(write)
}
