import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { operation } from '../../kernel/operation.ts'
import { gone } from '../../kernel/problem.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { joinCourse } from '../courses/commands.ts'
import { indexQuestions } from '../search/index-question.ts'
import { notify, onePerson } from '../telling/notify.ts'
import { notifyOfAnswer, notifyOfQuestion, notifyOfReply } from '../telling/tell-posts.ts'
import { questionOf, writtenNow } from './find.ts'
import { KINDS, ofEachKind, type PostKey, type PostTable } from './kinds.ts'
import { type LockedQuestion, lockQuestionOf, SUBJECTS } from './lock.ts'
import { changeMentions, noteMentions } from './mentions.ts'
import { writeStatus } from './resolution.ts'
import type { HeldFor } from './text.ts'

/** The operations that delete a post and restore it, for each kind. Who may: `delete` and `restore` in kernel/rights/table.ts. */
export const REMOVALS = ofEachKind(removalOf)

function removalOf(table: PostTable) {
  const [{ kind }, find] = [KINDS[table], SUBJECTS[table]]
  const deletion = operation({
    name: `delete-${kind}`,
    right: 'delete',
    find,
    events: ['post-deleted'],
    async run({ write, actor, subject, note }) {
      const { id, authorId } = subject
      if (!(await deletePost(write, { table, id }, personOf(actor).id))) throw gone()
      note('post-deleted', { kind, id, authorId })
      return { id, question: questionOf(subject) }
    },
  })
  const restoration = operation({
    name: `restore-${kind}`,
    right: 'restore',
    find,
    events: ['post-restored'],
    async run({ write, subject, note }) {
      const { id, authorId } = subject
      const title = await restorePost(write, { table, id })
      note('post-restored', { kind, id, authorId })
      return { id, question: questionOf({ ...subject, title }) }
    },
  })
  return { deletion, restoration }
}

/**
 * Nobody reads it any more, and it can be restored. What is below a question stays readable. @param actorId null:
 * nobody's who is known, so that only staff can restore it. @returns false: it was deleted. @throws Problem 404
 */
export async function deletePost(write: Write, post: PostKey, actorId: number | null = null) {
  const deleted = { deleted_at: sql<Date>`now()`, deleted_by: actorId }
  return takeAway(write, await lockQuestionOf(write, post), post, deleted)
}

/**
 * Shows a deleted post again, with what is below it; one that is not deleted stays as it is. A question whose accepted answer was deleted
 * meanwhile is unresolved then.
 * @returns the title of its question; empty while that is deleted
 */
export async function restorePost(write: Write, post: PostKey): Promise<string> {
  const question = await lockQuestionOf(write, post)
  const isQuestion = post.table === 'questions'
  if (isQuestion && question.isDeleted && (await hasLostAccepted(write, question)))
    await writeStatus(write, question, 'unresolved', null)
  await bringBack(write, question, post, { deleted_at: null, deleted_by: null })
  return question.isDeleted && !isQuestion ? '' : question.title
}

/**
 * Hides a post with all under it from everybody but its author and the course's staff. One that is hidden already stays so since when
 * it was.
 * @returns whether this hid it
 * @throws Problem 404 when there is no such post
 */
export async function hidePost(write: Write, post: PostKey): Promise<boolean> {
  return takeAway(write, await lockQuestionOf(write, post), post, { hidden_at: sql<Date>`now()` })
}

/**
 * Ends that a post is hidden: it is shown again unless it was deleted or is held.
 * @returns whether this ended it
 * @throws Problem 404 when there is no such post
 */
export async function showPost(write: Write, post: PostKey): Promise<boolean> {
  return bringBack(write, await lockQuestionOf(write, post), post, { hidden_at: null })
}

/**
 * Has a post that was shown wait to be let through, as hidePost hides it.
 * @returns whether this did it
 * @throws Problem 404 when there is no such post
 */
export async function holdPost(write: Write, post: PostKey, heldFor: HeldFor): Promise<boolean> {
  const held = { held_at: sql<Date>`clock_timestamp()::timestamptz(3)`, held_for: heldFor }
  return takeAway(write, await lockQuestionOf(write, post), post, held)
}

/**
 * Lets a held post through. One that nobody saw before is as if it were posted now: it is dated anew, its author joins the course, and
 * people are told of it. Its author is told in any case. @param actorId who lets it through; null: nobody who is known
 * @returns false: it is not held, or deleted
 */
export async function releasePost(write: Write, post: PostKey, actorId: number | null): Promise<boolean> {
  const { table, id } = post
  const question = await lockQuestionOf(write, post)
  const held = await write
    .selectFrom(table)
    .select(['author_id as authorId', 'is_anonymous as isAnonymous', 'body_html as html'])
    .select(sql<boolean>`held_at = written_at`.as('isNew'))
    .where('id', '=', id)
    .where('held_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (held === undefined) return false
  const { authorId, isAnonymous, isNew, html } = held
  const [questionId, text] = [question.id, { ...post, questionId: question.id }]
  const now = writtenNow(questionId)
  if (isNew) await write.updateTable(table).set({ written_at: now }).where('id', '=', id).execute()
  if (isNew)
    await write.updateTable('questions').set({ active_at: now }).where('id', '=', questionId).execute()
  await bringBack(write, question, post, { held_at: null, held_for: null })
  if (isNew) {
    if (!isAnonymous) await joinCourse(write, question.courseId, authorId)
    await noteMentions(write, text, html)
    await NOTIFY[table](write, { id, questionId, authorId })
  } else await changeMentions(write, text, html, authorId)
  const happening = { questionId, actorId, at: sql<Date>`clock_timestamp()` }
  await notify(write, happening, onePerson(authorId, 'released'))
  return true
}

const NOTIFY = { questions: notifyOfQuestion, answers: notifyOfAnswer, replies: notifyOfReply } as const

type Removed =
  | { readonly deleted_at: RawBuilder<Date>; readonly deleted_by: number | null }
  | { readonly hidden_at: RawBuilder<Date> }
  | { readonly held_at: RawBuilder<Date>; readonly held_for: HeldFor }
type Back =
  | { readonly deleted_at: null; readonly deleted_by: null }
  | { readonly hidden_at: null }
  | { readonly held_at: null; readonly held_for: null }

const reasonOf = (change: Removed | Back) =>
  'hidden_at' in change ? 'hidden_at' : 'held_at' in change ? 'held_at' : 'deleted_at'

/** An accepted answer leaves its question unresolved, and is remembered. @returns false: it was taken away so already */
async function takeAway(write: Write, question: LockedQuestion, { table, id }: PostKey, removed: Removed) {
  const { numUpdatedRows } = await write
    .updateTable(table)
    .set(removed)
    .where('id', '=', id)
    .where(reasonOf(removed), 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  if (table === 'answers' && question.acceptedAnswerId === id) {
    await rememberAccepted(write, id, true)
    if (!question.isDeleted) await writeStatus(write, question, 'unresolved', null)
  }
  await indexQuestions(write, [question.id])
  return true
}

/**
 * An answer that nothing else keeps from being shown is the accepted one again, if it was and no other is by now.
 * @returns false: it was not taken away so
 */
async function bringBack(write: Write, question: LockedQuestion, { table, id }: PostKey, back: Back) {
  const wasAccepted = table === 'answers' && (await rememberAccepted(write, id, false))
  const changed = await write
    .updateTable(table)
    .set(back)
    .where('id', '=', id)
    .where(reasonOf(back), 'is not', null)
    .returning('is_shown')
    .executeTakeFirst()
  if (wasAccepted && changed?.is_shown !== true) await rememberAccepted(write, id, true)
  else if (wasAccepted && question.acceptedAnswerId === null)
    await writeStatus(write, question, 'resolved', id)
  if (changed !== undefined) await indexQuestions(write, [question.id])
  return changed !== undefined
}

/** Of an answer that is not shown: no shown one was accepted, it is. @returns whether this changed it */
async function rememberAccepted(write: Write, id: number, wasAccepted: boolean): Promise<boolean> {
  const { numUpdatedRows } = await write
    .updateTable('answers')
    .set({ was_accepted: wasAccepted })
    .where('id', '=', id)
    .where('was_accepted', '<>', wasAccepted)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whether the accepted answer of a deleted question is not shown any more: what is removed under it leaves the question as it is. */
async function hasLostAccepted(write: Write, { acceptedAnswerId }: LockedQuestion): Promise<boolean> {
  if (acceptedAnswerId === null) return false
  const answer = await write
    .selectFrom('answers')
    .select('is_shown')
    .where('id', '=', acceptedAnswerId)
    .executeTakeFirstOrThrow()
  return !answer.is_shown
}

export function registerRemoval(app: FastifyInstance, table: PostTable): void {
  const { deletion, restoration } = REMOVALS[table]
  const key = (request: FastifyRequest) => idParam(request, 'id')
  const page = (request: FastifyRequest) => `/${table}/${key(request)}`
  openForm(app, `/${table}/:id/delete`, deletion, {
    key,
    done: ({ question }) => (table === 'questions' ? '/questions' : questionPath(question)),
    flash: (request) => ({ said: `${table}.flash.deleted`, act: `${page(request)}/restoration` }),
  })
  openForm(app, `/${table}/:id/restoration`, restoration, {
    key,
    // A reply has no page of its own.
    ...(table !== 'replies' && { formPage: page }),
    done: ({ id, question }) => KINDS[table].path(question, id),
    flash: () => `${table}.flash.restored`,
  })
}
