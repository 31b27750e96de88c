import type { Write } from '../../database/schema.ts'
import { picturesIn } from '../../text/picture-address.ts'
import { joinCourse } from '../courses/commands.ts'
import { noteMentions } from './post-mentions.ts'
import { notePictures } from './post-pictures.ts'

/** A post that was just inserted. */
interface NewPost {
  readonly table: 'questions' | 'answers' | 'replies'
  readonly id: number
  readonly authorId: number
  /** Its author becomes a learner of the course: it is with their name. */
  readonly joins: boolean
  readonly bodyHtml: string
}

/**
 * What a new post brings with it, in the transaction that inserted it: pictures and mentions are noted, and its author becomes a
 * learner of the course where they are not in it.
 * @param question that it is, or is under
 */
export async function notePost(
  write: Write,
  question: { readonly id: number; readonly courseId: number },
  { table, id, authorId, joins, bodyHtml }: NewPost,
): Promise<void> {
  if (picturesIn(bodyHtml).length > 0) await notePictures(write, { table, id }, bodyHtml, authorId)
  if (joins) await joinCourse(write, question.courseId, authorId)
  await noteMentions(write, { table, id, questionId: question.id }, bodyHtml)
}
