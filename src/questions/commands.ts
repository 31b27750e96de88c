import { sql } from 'kysely'
import { joinCourse } from '../courses/commands.ts'
import type { Database, Write } from '../database/schema.ts'
import { indexQuestions } from '../search/index-question.ts'
import { discountTags, setTags } from '../tags/tagging.ts'
import { countInCourse, countInLecture, countOfPerson } from './counters.ts'
import { lockQuestion } from './lock.ts'
import { type EditOutcome, renderedBody } from './post-text.ts'

/** What the ask form gives, checked. */
export interface QuestionContent {
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly categoryId: number
  readonly lectureId: number | null
}

export interface NewQuestion extends QuestionContent {
  readonly courseId: number
  readonly authorId: number
}

/** Asks a question; whoever asks becomes a learner of the course. @returns its id */
export async function askQuestion(write: Write, question: NewQuestion): Promise<number> {
  const { id } = await write
    .insertInto('questions')
    .values({
      course_id: question.courseId,
      author_id: question.authorId,
      category_id: question.categoryId,
      lecture_id: question.lectureId,
      title: question.title,
      ...renderedBody(question.body),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await setTags(write, { id, courseId: question.courseId }, question.tags)
  await countInLecture(write, question.lectureId, 1)
  await countOfPerson(write, question.authorId, 'questions_count', 1)
  await countInCourse(write, question.courseId, { questions: 1, unanswered: 1 })
  await joinCourse(write, question.courseId, question.authorId)
  await indexQuestions(write, [id])
  return id
}

/**
 * Changes a question.
 * @param version the one the editor began with; null: whichever it is now
 * @returns 'conflict' when somebody else changed it meanwhile; nothing is changed then
 */
export async function editQuestion(
  db: Database,
  id: number,
  content: QuestionContent,
  version: number | null,
): Promise<EditOutcome> {
  return db.transaction().execute(async (write) => {
    const question = await lockQuestion(write, id)
    if (version !== null && version !== question.version) return 'conflict'
    await write
      .updateTable('questions')
      .set({
        title: content.title,
        category_id: content.categoryId,
        lecture_id: content.lectureId,
        edited_at: sql`now()`,
        version: question.version + 1,
        ...renderedBody(content.body),
      })
      .where('id', '=', id)
      .execute()
    await setTags(write, question, content.tags)
    if (question.lectureId !== content.lectureId)
      await moveBetweenLectures(write, question.lectureId, content.lectureId)
    await indexQuestions(write, [id])
    return 'done'
  })
}

/** Hides a question and takes it out of every count. Its answers stay, and stay readable. */
export async function deleteQuestion(db: Database, id: number): Promise<void> {
  await db.transaction().execute(async (write) => {
    const question = await lockQuestion(write, id)
    await write.updateTable('questions').set({ deleted_at: sql`now()` }).where('id', '=', id).execute()
    await discountTags(write, question)
    await countInLecture(write, question.lectureId, -1)
    await countOfPerson(write, question.authorId, 'questions_count', -1)
    await countInCourse(write, question.courseId, {
      questions: -1,
      resolved: question.status === 'resolved' ? -1 : 0,
      unanswered: question.answersCount === 0 ? -1 : 0,
    })
    await indexQuestions(write, [id])
  })
}

/** Lower id first, whichever way it goes: two opposite moves must not wait for each other. */
async function moveBetweenLectures(write: Write, from: number | null, to: number | null): Promise<void> {
  const moves = [
    { id: from, delta: -1 },
    { id: to, delta: 1 },
  ].sort((one, other) => (one.id ?? 0) - (other.id ?? 0))
  for (const move of moves) await countInLecture(write, move.id, move.delta)
}
