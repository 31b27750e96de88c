import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import type { Actor } from '../../../kernel/rights/rights.ts'
import { type ReadableCourses, readableCourses } from '../../../kernel/rights/visibility.ts'
import { plainText } from '../../../text/plain.ts'
import { isReranked, RERANKED, reranked } from '../embeddings/reranking.ts'
import { type FoundQuestion, FoundQuestions } from '../found-questions.ts'
import { worthShowing } from '../ranking.ts'
import { type NearQuestion, rankSimilar } from './near.ts'
import type { SimilarTo } from './telling-terms.ts'

export type SimilarQuestion = Awaited<ReturnType<typeof findSimilar>>[number]

/** Questions found. */
const SIZE = 5
const MAX_ANSWER = 2000

/**
 * Questions about the same, the nearest first: those sharing the most telling words, in titles above all, and those with a
 * title like theirs. Work is bounded: candidates come by the rarest words and pairs of words, at most MAX_RANKED of them.
 * @param readable the courses the viewer may read, where they are known: `courseId` alone if there is one
 * @param questions where those that were read lately are remembered
 */
export async function findSimilar(
  db: Database,
  viewer: Actor | null,
  to: SimilarTo,
  readable: ReadableCourses | null = null,
  questions: FoundQuestions = new FoundQuestions(db, null),
) {
  const courses = readable ?? (await coursesOf(db, viewer, to))
  return withAnswers(questions, await nearIn(db, to, courses, SIZE), courses)
}

/** Their ids alone, of duplicates those of the questions that answer them. */
export async function findNear(db: Database, viewer: Actor | null, to: SimilarTo, size: number) {
  const near = await nearIn(db, to, await coursesOf(db, viewer, to), size)
  return near.map(({ id, duplicateOf }) => duplicateOf ?? id)
}

function coursesOf(db: Database, viewer: Actor | null, { courseId }: SimilarTo): Promise<ReadableCourses> {
  const narrowed = courseId === null ? undefined : sql<boolean>`course.id = ${courseId}`
  return readableCourses(db, viewer, narrowed)
}

async function nearIn(db: Database, to: SimilarTo, courses: ReadableCourses, size: number) {
  if (!isReranked(db)) {
    const { questions, floor } = await rankSimilar(db, to, courses, size)
    return worthShowing(questions, floor)
  }
  const { questions, floor } = await rankSimilar(db, to, courses, Math.max(size, RERANKED))
  const compared =
    to.exceptId === null
      ? { typed: `${to.title}\n${plainText(to.body)}`, mayBePrivate: true }
      : { question: to.exceptId }
  return (await reranked(db, worthShowing(questions, floor), compared, courses)).slice(0, size)
}

/** What is shown of them, of a duplicate the question it is one of, if that may be read; one that was deleted meanwhile is left out. */
async function withAnswers(
  questions: FoundQuestions,
  near: readonly NearQuestion[],
  courses: ReadableCourses,
) {
  const ids = new Set(near.flatMap(({ id, duplicateOf }) => [id, duplicateOf ?? id]))
  const found = new Map((await questions.find([...ids])).map((question) => [question.id, question]))
  const readable = new Set(courses.ids)
  return near.flatMap(({ id, duplicateOf, rank }) => {
    const question = [found.get(duplicateOf ?? id), found.get(id)].find(
      (one) => one !== undefined && readable.has(one.course_id),
    )
    return question === undefined ? [] : [{ ...similarQuestion(question), rank }]
  })
}

/** `answer`: the text of its accepted answer, else of its best one; null without answers. */
function similarQuestion(question: FoundQuestion) {
  const { id, title, status, language, answers_count: answersCount, author_id: authorId, posts } = question
  const best = answersCount === 0 ? undefined : posts.find(({ answerId }) => answerId !== null)
  const answer = best?.text.text.slice(0, MAX_ANSWER) ?? null
  return { id, title, status, language, answersCount, authorId, answer }
}
