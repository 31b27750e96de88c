import { sql } from 'kysely'
import type { Row, Status, Write } from '../../database/schema.ts'
import { gone, notFound } from '../../kernel/problem.ts'
import { findPlace, type Post } from './find.ts'
import { ofEachKind, type PostKey } from './kinds.ts'

export interface LockedQuestion {
  readonly id: number
  readonly courseId: number
  readonly title: string
  readonly status: Status
  readonly acceptedAnswerId: number | null
  readonly version: number
  /** Staff closed it to new answers. */
  readonly isClosed: boolean
  /** Why; null: they did not, or by a measure. */
  readonly closingReason: Row<'questions'>['closing_reason']
  readonly duplicateOf: number | null
  readonly isDeleted: boolean
  readonly isShown: boolean
}

/**
 * Every write to a question's tree begins by locking the question: counters and states change one after another.
 * @throws Problem 404 or 410 when it is not there (any more): what is held back or hidden is not there
 */
export async function lockQuestion(write: Write, id: number): Promise<LockedQuestion> {
  return requireShown(await lockEvenHidden(write, id))
}

export function requireShown(question: LockedQuestion): LockedQuestion {
  if (question.isDeleted) throw gone()
  if (!question.isShown) throw notFound()
  return question
}

/** As lockQuestion, for what its author and staff may do with a question that is held back or hidden: edit and delete it. */
export async function lockEvenHidden(write: Write, id: number): Promise<LockedQuestion> {
  const question = await lockEvenDeleted(write, id)
  if (question.isDeleted) throw gone()
  return question
}

/** As lockQuestion, for what may still be done under a deleted question: its answers can be edited and deleted. */
export const lockEvenDeleted = (write: Write, id: number): Promise<LockedQuestion> =>
  lockQuestionOf(write, { table: 'questions', id })

/** The same of the question that a post is, or is under. @throws Problem 404 */
export async function lockQuestionOf(write: Write, post: PostKey): Promise<LockedQuestion> {
  const question = await lockIfThere(write, post)
  if (question === null) throw notFound()
  return question
}

/**
 * The same for who looks further anyway: one statement whether the post is there or not, so that how long it takes tells nothing of
 * what is not to be seen. @returns null: it is not there
 */
async function lockIfThere(write: Write, { table, id }: PostKey): Promise<LockedQuestion | null> {
  const questionId =
    table === 'questions' ? id : sql<number>`(select question_id from ${sql.table(table)} where id = ${id})`
  const row = await write
    .selectFrom('questions')
    .select(['id', 'course_id as courseId', 'title', 'status', 'accepted_answer_id as acceptedAnswerId'])
    .select(['version', 'is_shown as isShown', sql<boolean>`deleted_at is not null`.as('isDeleted')])
    .select(sql<boolean>`answers_closed_at is not null`.as('isClosed'))
    .select(['closing_reason as closingReason', 'duplicate_of as duplicateOf'])
    .where('id', '=', questionId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** An answer to a question, which is locked. @throws Problem 'gone' when it is not shown any more */
export async function shownAnswer(write: Write, questionId: number, id: number) {
  const answer = await write
    .selectFrom('answers')
    .select('endorsed_by')
    .where('id', '=', id)
    .where('question_id', '=', questionId)
    .where('is_shown', '=', true)
    .executeTakeFirst()
  if (answer === undefined) throw gone()
  return answer
}

/** A post that operations are done to. Every write to a question's tree begins by locking the question. */
export interface LockedPost extends Post {
  readonly question: LockedQuestion
}

/** How operations find a post of a kind. @throws Problem 'notFound' */
export const SUBJECTS = ofEachKind((table) => async (write: Write, id: number): Promise<LockedPost> => {
  const question = await lockIfThere(write, { table, id })
  const post = await findPlace(write, { table, id })
  if (question === null) throw notFound()
  return { ...post, question }
})
export const { questions: question, answers: answer, replies: reply } = SUBJECTS

/** In the order that all writes of several keep. */
export async function lockQuestions(write: Write, ids: readonly number[]): Promise<void> {
  await sql`select from questions where id = any(${[...ids]}::bigint[]) order by id for no key update`.execute(
    write,
  )
}

/** How often accounts are locked again, because they wrote between the two locks, or are writing. */
const MAX_LOCKED = 10

/**
 * Locks the questions that people wrote in, then their accounts: as posting does, questions first. What they wrote in between is in
 * questions that aren't locked; waiting for one of these now, with the accounts locked, would be a deadlock with who posts there. Then
 * both locks are given back, and taken again.
 * @param lockAccounts returns false where it doesn't wait and somebody else has one: a form that is sent once holds on to its sender
 * before it locks a question. They are waited for then without the questions.
 */
export async function lockWhereWritten(
  write: Write,
  questionsNow: () => Promise<readonly number[]>,
  lockAccounts: (waits: boolean) => Promise<boolean>,
): Promise<void> {
  await sql`savepoint questions_first`.execute(write)
  for (let left = MAX_LOCKED; left > 0; left -= 1) {
    const questions = await questionsNow()
    await lockQuestions(write, questions)
    const isLocked = await lockAccounts(left === 1)
    const now = isLocked ? await questionsNow() : []
    if (left === 1 || (isLocked && now.every((id) => questions.includes(id)))) return
    await sql`rollback to savepoint questions_first`.execute(write)
    if (isLocked) continue
    await lockAccounts(true)
    await sql`rollback to savepoint questions_first`.execute(write)
  }
}
