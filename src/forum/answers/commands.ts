import type { Write } from '../../database/schema.ts'
import type { RenderedText } from '../../text/markdown.ts'
import type { LockedQuestion } from '../posts/lock.ts'
import { writtenNow } from '../posts/moment.ts'
import { type Authorship, notePost } from '../posts/new-post.ts'
import { renderedBody } from '../posts/text.ts'
import { queueForSearch } from '../search/index-question.ts'
import { tellOfAnswer } from '../telling/tell-posts.ts'

export interface NewAnswer extends Authorship {
  readonly body: RenderedText
}

/** Posts an answer; its author becomes a learner of the course, unless it is without their name. Both are locked. @returns its id */
export async function writeAnswer(
  write: Write,
  question: LockedQuestion,
  answer: NewAnswer,
): Promise<number> {
  const { authorId, isAnonymous = false } = answer
  const rendered = renderedBody(answer.body)
  const { id } = await write
    .insertInto('answers')
    .values({
      question_id: question.id,
      author_id: authorId,
      is_anonymous: isAnonymous,
      written_at: writtenNow(question.id),
      ...rendered,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await notePost(write, question, { table: 'answers', id, bodyHtml: rendered.body_html }, answer)
  await tellOfAnswer(write, { id, questionId: question.id, authorId })
  await queueForSearch(write, question.id)
  return id
}
