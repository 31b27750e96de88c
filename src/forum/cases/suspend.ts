import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { enqueue } from '../../jobs/table.ts'
import { isSuspension } from '../handling/in-force.ts'
import { actOnPerson } from './decided-case.ts'
import { LETTERS_OF_CASES, letterKey } from './letter-jobs.ts'
import { lockWriter } from './locks.ts'
import { endMeasure } from './measures.ts'
import { tellOfCase } from './tell-staff.ts'

/** The suspended person and place; `courseId` null: everywhere. */
export interface SuspensionPlace {
  readonly personId: number
  readonly courseId: number | null
}

/** Suspends somebody. @param until null: for good @returns the measure's id; null: the account is gone */
export async function suspend(
  write: Write,
  actorId: number,
  {
    personId,
    courseId,
    until,
    note,
  }: SuspensionPlace & { readonly until: Date | null; readonly note: string },
): Promise<number | null> {
  await lockWriter(write, personId)
  const act = { personId, courseId, reason: 'other', rule: '', note, kind: 'suspend', endsAt: until } as const
  return actOnPerson(write, actorId, act)
}

/** Whether someone is suspended in that very place. */
export async function isSuspendedThere(
  write: Write,
  { personId, courseId }: SuspensionPlace,
): Promise<boolean> {
  const { rows } = await sql`
    select from measures as measure where person_id = ${personId} and ${isSuspension} and course_id is not distinct from ${courseId}
    limit 1`.execute(write)
  return rows.length > 0
}

/** Lifts all suspensions of somebody in a course, or everywhere. @returns how many there were */
export async function endSuspensions(
  write: Write,
  actorId: number,
  { personId, courseId, note }: SuspensionPlace & { readonly note: string },
): Promise<number> {
  const inForce = await write
    .selectFrom('measures')
    .select('id')
    .where('person_id', '=', personId)
    .where('kind', '=', 'suspend')
    .where('ended_at', 'is', null)
    .where('is_everywhere', '=', courseId === null)
    .where('course_id', 'is not distinct from', courseId)
    .orderBy('id')
    .execute()
  let lifted = 0
  for (const { id } of inForce) if (await liftMeasure(write, actorId, id, note)) lifted += 1
  return lifted
}

/** Lifts a measure and tells the person. @returns false: it had ended before */
export async function liftMeasure(
  write: Write,
  actorId: number,
  measureId: number,
  note: string,
): Promise<boolean> {
  const ended = await endMeasure(write, { measureId, how: 'lifted', actorId, note })
  if (ended === null) return false
  if (ended.personId !== null) {
    await tellOfCase(write, ended.caseId, 'measure', [ended.personId])
    await enqueue(write, LETTERS_OF_CASES, letterKey('ended', measureId))
  }
  return true
}

/** Measures whose time is over, as a job finds them. */
export const endedByTime = sql`
  select id as key, ends_at as at from measures where ends_at <= now() and ended_at is null`
