import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { actor, table } from '../../database/table.ts'
import { personOf } from '../../kernel/actor.ts'
import { metaOf, reference } from '../../kernel/fields.ts'
import { markWith } from '../../kernel/mark.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { Problem } from '../../kernel/problem.ts'
import { page } from '../../web/page.ts'
import { idParam } from '../../web/params.ts'
import { localPath, questionPath } from '../../web/paths.ts'
import { findQuestion } from '../posts/find.ts'
import { lockQuestion, question } from '../posts/lock.ts'
import { followOwn } from '../telling/tell-posts.ts'

export const questionDesk = table(
  'question_desk',
  { assignee_id: { ...actor, as: 'subject' }, assigned_by: actor, done_by: actor },
  { key: ['question_id'] },
)

const input = { assignee: reference, seen: reference.optional().meta(metaOf(reference)) }

/**
 * Takes a question (`assignee` = `me`), gives it (a person's id), puts it back (empty). `seen`: who had it when it was read. Without
 * it, only what nobody has can be taken. @throws TakenMeanwhile
 */
export const questionAssignment = markWith({
  name: 'assign-question',
  right: 'assign',
  find: question,
  address: '/questions/:id/assignment',
  isForStaff: true,
  input,
  body: { fields: input, required: [] },
  set: { assignee: 'me' },
  unset: { assignee: '' },
  events: ['staff-decided'],
  flash: {
    taken: 'desk.flash.taken',
    given: 'desk.flash.given',
    putBack: 'desk.flash.putBack',
    closed: 'desk.flash.closed',
  },
  async run({ write, actor: doer, subject, input: { assignee, seen }, note }) {
    const person = personOf(doer)
    const { id, courseId } = subject
    const assigneeId = assignee === 'me' ? person.id : idOf(assignee)
    const nobody = assignee === 'me' ? null : undefined
    const seenId = seen === undefined ? nobody : idOf(seen)
    const assignment = { questionId: id, courseId, assigneeId, actorId: person.id, seen: seenId }
    const isOpen = await assignQuestion(write, assignment)
    if (isOpen) note('staff-decided', { act: 'assign', questionId: id })
    const done = assigneeId === null ? 'putBack' : assigneeId === person.id ? 'taken' : 'given'
    return { subject, done: isOpen ? done : 'closed' } as const
  },
})

/** @throws Problem for what is no id */
function idOf(typed: string): number | null {
  if (typed === '') return null
  if (!/^[1-9]\d{0,14}$/.test(typed)) throw new Problem('invalid')
  return Number(typed)
}

/** Thrown where somebody else took a question first. */
export class TakenMeanwhile extends Error {
  readonly taken: Taken

  constructor(taken: Taken) {
    super('somebody else has the question')
    this.taken = taken
  }
}

/** Who has a question; both empty: nobody any more. */
export interface Taken {
  readonly id: number | null
  readonly name: string
}

interface Assignment {
  readonly questionId: number
  readonly courseId: number
  /** null: nobody. */
  readonly assigneeId: number | null
  readonly actorId: number
  /** Who had it when the page was rendered, null: nobody; undefined: not compared. */
  readonly seen: number | null | undefined
}

/**
 * Gives a question to a member of staff, who follows it from then on.
 * @returns false when it waits for nobody, as it is resolved or a duplicate
 * @throws TakenMeanwhile when somebody else got it, Problem 'invalid' for who is not of the staff
 */
export async function assignQuestion(write: Write, assignment: Assignment): Promise<boolean> {
  const { questionId, courseId, assigneeId, actorId, seen } = assignment
  await lockQuestion(write, questionId)
  if (assigneeId !== null && !(await isStaff(write, courseId, assigneeId))) throw new Problem('invalid')
  const desk = await lockDesk(write, questionId)
  if (!desk.isOpen) return false
  if (desk.assigneeId === assigneeId) return true
  if (seen !== undefined && desk.assigneeId !== seen)
    throw new TakenMeanwhile({ id: desk.assigneeId, name: desk.assigneeName ?? '' })
  const assigned =
    assigneeId === null
      ? { assignee_id: null, assigned_by: null, assigned_at: null }
      : { assignee_id: assigneeId, assigned_by: actorId, assigned_at: sql<Date>`now()` }
  await write.updateTable('question_desk').set(assigned).where('question_id', '=', questionId).execute()
  if (assigneeId !== null) await followOwn(write, questionId, assigneeId)
  return true
}

/** What staff have noted of a question, which no other transaction changes until this one ends. */
export async function lockDesk(write: Write, questionId: number) {
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

/** Tells who has it, and offers to take it over from them. An empty name: they put it back. `back`: as the form had it. */
export const showTaken = page(
  'desk/taken',
  { robots: 'noindex' },
  async (context, taken: Taken, back: string | undefined) => {
    const question = await findQuestion(context.db, context.person(), idParam(context, 'id'), 'assign')
    return {
      title: context.t('desk.taken.title'),
      name: taken.name,
      questionTitle: question.title,
      backPath: localPath(back, questionPath(question)),
      assignment: {
        action: `/questions/${question.id}/assignment`,
        seen: taken.id === null ? '' : String(taken.id),
      },
    }
  },
)

/** What they decided about questions as staff. */
export const ownDeskActs = ownPart('desk', async (db, { id: personId }, baseUrl) => {
  const { rows } = await sql<{ act: string; question: number; at: Date | null }>`
    select 'endorsed' as act, question_id as question, endorsed_at as at from answers where endorsed_by = ${personId}
    union all select 'taken', question_id, assigned_at from question_desk where assignee_id = ${personId}
    union all select 'linked as a duplicate', id, null from questions where duplicate_by = ${personId}
    union all select 'pinned', question_id, null from pins where pinned_by = ${personId}
    order by act, question`.execute(db)
  return rows.map(({ act, question, at }) => ({ act, address: `${baseUrl}/questions/${question}`, at }))
})
