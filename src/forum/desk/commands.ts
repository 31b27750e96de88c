import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { actor, table } from '../../database/table.ts'
import { lockQuestion } from '../posts/lock.ts'
import { followOwn } from '../telling/tell-posts.ts'

export const questionDesk = table(
  'question_desk',
  { assignee_id: { ...actor, as: 'subject' }, assigned_by: actor, done_by: actor },
  { key: ['question_id'] },
)

/**
 * What became of a wish to take or give a question. 'closed': it waits for nobody, as it is resolved or a duplicate. 'unable':
 * who should get it is not of the staff. Otherwise somebody else has it.
 */
export type Assigned = 'done' | 'closed' | 'unable' | Taken

/** Who has a question; both empty: nobody any more. */
export interface Taken {
  readonly id: number | null
  readonly name: string
}

export interface Assignment {
  readonly questionId: number
  readonly courseId: number
  /** null: nobody. */
  readonly assigneeId: number | null
  readonly actorId: number
  /** Who had it when the page was rendered, null: nobody; undefined: not compared. */
  readonly seen: number | null | undefined
}

/** Gives a question to a member of staff, who follows it from then on, unless somebody else got it meanwhile. */
export async function assignQuestion(write: Write, assignment: Assignment): Promise<Assigned> {
  const { questionId, courseId, assigneeId, actorId, seen } = assignment
  await lockQuestion(write, questionId)
  if (assigneeId !== null && !(await isStaff(write, courseId, assigneeId))) return 'unable'
  const desk = await lockDesk(write, questionId)
  if (!desk.isOpen) return 'closed'
  if (desk.assigneeId === assigneeId) return 'done'
  if (seen !== undefined && desk.assigneeId !== seen)
    return { id: desk.assigneeId, name: desk.assigneeName ?? '' }
  const assigned =
    assigneeId === null
      ? { assignee_id: null, assigned_by: null, assigned_at: null }
      : { assignee_id: assigneeId, assigned_by: actorId, assigned_at: sql<Date>`now()` }
  await write.updateTable('question_desk').set(assigned).where('question_id', '=', questionId).execute()
  if (assigneeId !== null) await followOwn(write, questionId, assigneeId)
  return 'done'
}

/** Puts a question off. @param until null: not any more @returns false when it waits for nobody */
export async function snoozeQuestion(
  write: Write,
  questionId: number,
  until: { readonly day: string; readonly timeZone: string } | null,
): Promise<boolean> {
  await lockQuestion(write, questionId)
  const desk = await lockDesk(write, questionId)
  if (!desk.isOpen) return false
  const begin =
    until === null ? null : sql<Date>`${until.day}::date::timestamp at time zone ${until.timeZone}`
  await write
    .updateTable('question_desk')
    .set({ snoozed_until: begin })
    .where('question_id', '=', questionId)
    .execute()
  return true
}

async function lockDesk(write: Write, questionId: number) {
  const { rows } = await sql<{ isOpen: boolean; assigneeId: number | null; assigneeName: string | null }>`
    select q.status = 'unresolved' and q.duplicate_of is null as "isOpen", desk.assignee_id as "assigneeId",
      assignee.display_name as "assigneeName"
    from question_desk as desk
    join questions as q on q.id = desk.question_id
    left join people as assignee on assignee.id = desk.assignee_id
    where desk.question_id = ${questionId} for update of desk`.execute(write)
  return rows[0] ?? { isOpen: false, assigneeId: null, assigneeName: null }
}

/** Whose role cannot be taken away before this is committed: the transaction that takes it away then finds the question. */
async function isStaff(write: Write, courseId: number, personId: number): Promise<boolean> {
  const person = await write
    .selectFrom('people')
    .select('is_admin')
    .where('id', '=', personId)
    .where('left_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  const member = await write
    .selectFrom('course_members')
    .select('role')
    .where('course_id', '=', courseId)
    .where('person_id', '=', personId)
    .forShare()
    .executeTakeFirst()
  if (person === undefined) return false
  return person.is_admin || (member !== undefined && member.role !== 'learner')
}
