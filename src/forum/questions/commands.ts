import { sql } from 'kysely'
import type { Audience, Write } from '../../database/schema.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { endDraft } from '../drafts/draft.ts'
import { lockEvenHidden } from '../posts/lock.ts'
import { changeMentions } from '../posts/mentions.ts'
import {
  type Authorship,
  type Edit,
  type EditOutcome,
  editedBy,
  heldColumns,
  keepVersion,
  notePictures,
  notePost,
  renderedBody,
} from '../posts/text.ts'
import { indexQuestions } from '../search/index-question.ts'
import { addTags, setTags } from '../tags/tagging.ts'
import { notifyOfQuestion } from '../telling/tell-posts.ts'

export interface QuestionContent {
  readonly title: string
  readonly body: RenderedText
  readonly tags: readonly string[]
  readonly categoryId: number
  readonly lectureId: number | null
}

export interface NewQuestion extends QuestionContent, Authorship {
  readonly courseId: number
  readonly audience?: Audience
}

/** Asks a question; its author, who is locked, becomes a learner of the course, unless it is without their name. @returns its id */
export async function writeQuestion(write: Write, question: NewQuestion): Promise<number> {
  const { courseId, authorId, isAnonymous = false, heldFor = null } = question
  const rendered = renderedBody(question.body)
  const { id } = await write
    .insertInto('questions')
    .values({
      course_id: courseId,
      author_id: authorId,
      category_id: question.categoryId,
      lecture_id: question.lectureId,
      title: question.title,
      audience: question.audience ?? 'course',
      was_open: question.audience !== 'staff',
      is_anonymous: isAnonymous,
      ...heldColumns(heldFor, sql`now()`),
      ...rendered,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await addTags(write, { id, courseId }, question.tags)
  await notePost(write, { id, courseId }, { table: 'questions', id, bodyHtml: rendered.body_html }, question)
  await indexQuestions(write, [id])
  if (heldFor === null) await notifyOfQuestion(write, { id, authorId })
  return id
}

/**
 * Changes a question.
 * @returns 'conflict' when somebody else changed it meanwhile; nothing is changed then
 */
export async function editQuestion(
  write: Write,
  id: number,
  content: QuestionContent & { readonly isAnonymous?: boolean },
  edit: Edit,
): Promise<EditOutcome> {
  const question = await lockEvenHidden(write, id)
  if (edit.version !== question.version) return 'conflict'
  const rendered = renderedBody(content.body)
  await keepVersion(write, { table: 'questions', id }, { ...content, body: rendered.body }, edit)
  await write
    .updateTable('questions')
    .set({
      title: content.title,
      category_id: content.categoryId,
      lecture_id: content.lectureId,
      ...(content.isAnonymous === undefined ? {} : { is_anonymous: content.isAnonymous }),
      ...editedBy(edit),
      version: question.version + 1,
      ...rendered,
    })
    .where('id', '=', id)
    .execute()
  await setTags(write, question, content.tags)
  await notePictures(write, { table: 'questions', id }, rendered.body_html, edit.actorId)
  const post = { table: 'questions', id, questionId: id } as const
  await changeMentions(write, post, rendered.body_html, edit.actorId)
  await indexQuestions(write, [id])
  if (!edit.isRestoration)
    await endDraft(write, edit.actorId, `/questions/${id}/edit`, {
      title: content.title,
      body: content.body.source,
    })
  return 'done'
}
