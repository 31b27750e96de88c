import type { Write } from '../../database/schema.ts'
import type { RenderedText } from '../../text/markdown.ts'
import type { LockedQuestion } from '../posts/lock.ts'
import { writtenNow } from '../posts/moment.ts'
import { type Authorship, notePost } from '../posts/new-post.ts'
import { renderedBody } from '../posts/text.ts'
import { queueForSearch } from '../search/index-question.ts'
import { tellOfReply } from '../telling/tell-posts.ts'

export interface NewReply extends Authorship {
  /** null: under the question itself. */
  readonly answerId: number | null
  readonly body: RenderedText
}

/** Posts a reply under a shown answer or under the question, which is locked, as its author is. @returns its id */
export async function writeReply(write: Write, question: LockedQuestion, reply: NewReply): Promise<number> {
  const { authorId, isAnonymous = false } = reply
  const rendered = renderedBody(reply.body)
  const { id } = await write
    .insertInto('replies')
    .values({
      question_id: question.id,
      answer_id: reply.answerId,
      author_id: authorId,
      is_anonymous: isAnonymous,
      written_at: writtenNow(question.id),
      ...rendered,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await notePost(write, question, { table: 'replies', id, bodyHtml: rendered.body_html }, reply)
  await tellOfReply(write, { id, questionId: question.id, authorId })
  await queueForSearch(write, question.id)
  return id
}
