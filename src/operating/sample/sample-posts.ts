import type { Write } from '../../database/schema.ts'
import { renderedBody } from '../../forum/posts/text.ts'
import { setTags } from '../../forum/tags/tagging.ts'
import { followOwn } from '../../forum/telling/tell-posts.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import type { SampleAnswer, SampleQuestion, SampleReply } from './sample-file.ts'

/** The course a sample's posts are put into: its ids by what the content file calls things. */
export interface SamplePlace {
  readonly courseId: number
  readonly categoryId: number
  readonly personIds: ReadonlyMap<string, number>
  /** By position. */
  readonly lectureIds: ReadonlyMap<number, number>
  /** The moment from which the content file counts hours back. */
  readonly now: Date
}

const HOUR = 3_600_000

export function hoursBefore(now: Date, hours: number): Date {
  return new Date(now.getTime() - hours * HOUR)
}

/**
 * Adds a question with its answers, replies and votes, as if they had been written then. The caller makes what it is found
 * by.
 * @returns its id
 */
export async function addSampleQuestion(
  write: Write,
  place: SamplePlace,
  question: SampleQuestion,
): Promise<number> {
  const posts = [
    question,
    ...question.replies,
    ...question.answers,
    ...question.answers.flatMap(({ replies }) => replies),
  ]
  const lastAt = hoursBefore(place.now, Math.min(...posts.map((post) => post.hoursAgo)))
  const { id } = await write
    .insertInto('questions')
    .values({
      course_id: place.courseId,
      category_id: place.categoryId,
      lecture_id: question.lecture === null ? null : idOf(place.lectureIds, question.lecture),
      title: question.title,
      views_count: question.views,
      votes_count: question.votes.length,
      active_at: lastAt,
      ...(await written(place, question)),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await setTags(write, { id, courseId: place.courseId }, question.tags)
  const votes = question.votes.map((key) => ({ question_id: id, person_id: idOf(place.personIds, key) }))
  if (votes.length > 0) await write.insertInto('question_votes').values(votes).execute()
  await addReplies(write, place, id, null, question.replies)
  await followOwn(write, id, idOf(place.personIds, question.author))
  const accepted = await addAnswers(write, place, id, question.answers)
  const status = question.isResolved ? 'resolved' : 'unresolved'
  await write
    .updateTable('questions')
    .set({ status, accepted_answer_id: accepted, resolved_at: question.isResolved ? lastAt : null })
    .where('id', '=', id)
    .execute()
  return id
}

/** @returns the id of the accepted one */
async function addAnswers(
  write: Write,
  place: SamplePlace,
  questionId: number,
  answers: readonly SampleAnswer[],
) {
  let accepted: number | null = null
  for (const answer of answers) {
    const { id } = await write
      .insertInto('answers')
      .values({
        question_id: questionId,
        votes_count: answer.votes.length,
        ...(await written(place, answer)),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const votes = answer.votes.map((key) => ({ answer_id: id, person_id: idOf(place.personIds, key) }))
    if (votes.length > 0) await write.insertInto('answer_votes').values(votes).execute()
    await addReplies(write, place, questionId, id, answer.replies)
    if (answer.isAccepted) accepted = id
  }
  return accepted
}

async function addReplies(
  write: Write,
  place: SamplePlace,
  questionId: number,
  answerId: number | null,
  replies: readonly SampleReply[],
): Promise<void> {
  if (replies.length === 0) return
  const rows = await Promise.all(
    replies.map(async (reply) => ({
      question_id: questionId,
      answer_id: answerId,
      ...(await written(place, reply)),
    })),
  )
  await write.insertInto('replies').values(rows).execute()
}

async function written(place: SamplePlace, post: SampleReply) {
  const [body] = await prepareMarkdown([post.body])
  return {
    author_id: idOf(place.personIds, post.author),
    written_at: hoursBefore(place.now, post.hoursAgo),
    ...renderedBody(body),
  }
}

/** Reading the file has checked that people and lectures exist, so a missing one is a fault of ours. */
function idOf<Key>(ids: ReadonlyMap<Key, number>, key: Key): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`the sample course has no ${key}`)
  return id
}
