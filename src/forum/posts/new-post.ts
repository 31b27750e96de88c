import type { Write } from '../../database/schema.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { picturesIn } from '../../text/picture-address.ts'
import { joinCourse } from '../courses/commands.ts'
import { queueForSearch } from '../search/index-question.ts'
import { notifyOfAnswer, notifyOfReply } from '../telling/tell-posts.ts'
import type { BelowTable, PostTable } from './kinds.ts'
import type { LockedQuestion } from './lock.ts'
import { noteMentions } from './mentions.ts'
import { writtenNow } from './moment.ts'
import { notePictures } from './pictures.ts'
import { renderedBody } from './text.ts'

interface NewPost {
  readonly table: PostTable
  readonly id: number
  readonly bodyHtml: string
}

/** The author, as they are when they write it. */
export interface Authorship {
  readonly authorId: number
  readonly isAnonymous?: boolean
  /** The author is in the course already. */
  readonly isMember?: boolean
}

/**
 * Notes what a new post brings with it, in the transaction that inserted it: pictures, mentions, and its author as a learner of the
 * course where they are not in it, unless it is without their name.
 * @param question that it is, or is under
 */
export async function notePost(
  write: Write,
  question: { readonly id: number; readonly courseId: number },
  { table, id, bodyHtml }: NewPost,
  { authorId, isAnonymous = false, isMember = false }: Authorship,
): Promise<void> {
  if (picturesIn(bodyHtml).length > 0) await notePictures(write, { table, id }, bodyHtml, authorId)
  if (!isAnonymous && !isMember) await joinCourse(write, question.courseId, authorId)
  await noteMentions(write, { table, id, questionId: question.id }, bodyHtml)
}

export interface NewAnswer extends Authorship {
  readonly body: RenderedText
}

export interface NewReply extends NewAnswer {
  /** null: under the question itself. */
  readonly answerId: number | null
}

/** Posts an answer to a question, which is locked, as its author is. @returns its id */
export async function writeAnswer(
  write: Write,
  question: LockedQuestion,
  answer: NewAnswer,
): Promise<number> {
  const { id } = await write
    .insertInto('answers')
    .values(columnsOf(question, answer))
    .returning('id')
    .executeTakeFirstOrThrow()
  await noteBelow(write, question, { table: 'answers', id }, answer)
  return id
}

/** Posts a reply under a shown answer or under the question, which is locked, as its author is. @returns its id */
export async function writeReply(write: Write, question: LockedQuestion, reply: NewReply): Promise<number> {
  const { id } = await write
    .insertInto('replies')
    .values({ ...columnsOf(question, reply), answer_id: reply.answerId })
    .returning('id')
    .executeTakeFirstOrThrow()
  await noteBelow(write, question, { table: 'replies', id }, reply)
  return id
}

function columnsOf({ id }: LockedQuestion, { authorId, isAnonymous = false, body }: NewAnswer) {
  const written_at = writtenNow(id)
  return {
    question_id: id,
    author_id: authorId,
    is_anonymous: isAnonymous,
    written_at,
    ...renderedBody(body),
  }
}

async function noteBelow(
  write: Write,
  question: LockedQuestion,
  { table, id }: { readonly table: BelowTable; readonly id: number },
  post: NewAnswer,
): Promise<void> {
  await notePost(write, question, { table, id, bodyHtml: post.body.html }, post)
  const told = { id, questionId: question.id, authorId: post.authorId }
  await (table === 'answers' ? notifyOfAnswer : notifyOfReply)(write, told)
  await queueForSearch(write, question.id)
}
