import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { type Choice, isChosen } from '../../forum/course-settings/brought-questions.ts'
import type { Disguise } from './disguise.ts'
import type { AnswerRow, PostRow, QuestionRow, ReplyRow, WrittenPosts } from './exported-rows.ts'

/** What a copy of a course for its next run gets of it. */
export interface CopySelection extends Choice {
  /** Learners are named, too. */
  readonly hasNames: boolean
}

/** What each member reads of the chosen questions. */
export const copiedPosts = (choice: Choice): WrittenPosts => ({
  question: (alias) => isChosen(alias, choice),
  below: (alias) => sql`${sql.ref(`${alias}.is_shown`)} is not false`,
})

interface Threads {
  readonly questions: readonly QuestionRow[]
  readonly answers: readonly AnswerRow[]
  readonly replies: readonly ReplyRow[]
}

/**
 * Posts as the next run gets them: as they are now, without votes and views. Questions are resolved, since no one waits for an answer. Who isn't
 * named is a number in the thread, as those are who wrote anonymously, and no account.
 */
export function asCopied({ questions, answers, replies }: Threads, { nameOf }: Disguise): Threads {
  const numbers = numbersIn(
    [
      ...questions.map((row) => [row.id, row] as const),
      ...answers.map((row) => [row.question_id, row] as const),
      ...replies.map((row) => [row.question_id, row] as const),
    ],
    nameOf,
  )
  const present = <Row extends PostRow>(row: Row, questionId: number): Row => {
    const number = numbers.get(writerIn(questionId, row)) ?? null
    return {
      ...row,
      ...{
        edited_at: null,
        edited_by: null,
        editor_name: null,
        has_editor_left: null,
        edit_reason: null,
        version: 1,
      },
      ...(number !== null && { is_anonymous: true, has_left: true, stand_in: number }),
    }
  }
  const named = (id: number | null) => (id !== null && nameOf(id) !== null ? id : null)
  return {
    questions: questions.map((row) => ({
      ...present(row, row.id),
      ...{ votes_count: 0, views_count: 0, pinned_until: null, pinned_by: null, reopened_at: null },
      ...{ status: 'resolved' as const, resolved_at: row.resolved_at ?? row.active_at },
      duplicate_by: named(row.duplicate_by),
    })),
    answers: answers.map((row) => ({
      ...present(row, row.question_id),
      ...{ votes_count: 0, endorsed_by: named(row.endorsed_by) },
    })),
    replies: replies.map((row) => present(row, row.question_id)),
  }
}

/** Someone who wrote in a thread under their name and without it stays two. */
const writerIn = (questionId: number, { author_id: id, is_anonymous: isAnonymous }: PostRow) =>
  `${questionId} ${id} ${isAnonymous}`

/** The numbers of those who aren't named, by question and writer: who had one keeps it, since texts may speak of it. */
function numbersIn(posts: readonly (readonly [questionId: number, PostRow])[], nameOf: Disguise['nameOf']) {
  const numbers = new Map<string, number>()
  const last = new Map<number, number>()
  for (const [questionId, row] of posts) {
    if (!row.is_anonymous || row.stand_in === null) continue
    numbers.set(writerIn(questionId, row), row.stand_in)
    last.set(questionId, Math.max(last.get(questionId) ?? 0, row.stand_in))
  }
  for (const [questionId, row] of posts) {
    const writer = writerIn(questionId, row)
    if (numbers.has(writer) || (nameOf(row.author_id) !== null && !row.is_anonymous)) continue
    const number = (last.get(questionId) ?? 0) + 1
    numbers.set(writer, number)
    last.set(questionId, number)
  }
  return numbers
}

/** Which of these pictures each member of a course sees in a post: another post may show them, too. */
export async function sharedPictures(
  db: Write,
  courseId: number,
  names: readonly string[],
): Promise<{ readonly name: string; readonly alt: string }[]> {
  const { rows } = await sql<{ name: string; alt: string }>`
    select image.name, image.alt from images as image
    where image.name = any(${names}::text[]) and exists (
      select from post_images as shown
      left join replies as reply on reply.id = shown.reply_id
      left join answers as answer on answer.id = coalesce(shown.answer_id, reply.answer_id)
      join questions as q on q.id = coalesce(shown.question_id, answer.question_id, reply.question_id)
      where shown.image_id = image.id and shown.is_shown and q.course_id = ${courseId} and q.is_listed
        and answer.is_shown is not false and reply.is_shown is not false)
    order by image.id`.execute(db)
  return rows
}
