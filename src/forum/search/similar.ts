import { sql } from 'kysely'
import type { Database, Language } from '../../database/schema.ts'
import { type ReadableCourses, readableCourses } from '../../rights/readable.ts'
import type { Actor } from '../../rights/rights.ts'
import { plainText } from '../../text/plain.ts'
import { isReranked, RERANKED, reranked } from './embeddings/reranking.ts'
import { type NearQuestion, rankSimilar, worthShowing } from './near.ts'
import type { SimilarTo } from './telling-terms.ts'

/** A question that may be the same as another, or near it. */
export interface SimilarQuestion {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly answersCount: number
  readonly authorId: number
  /** Of its course. */
  readonly language: Language
  /** How near it is, about 0 to 1: of words and titles. */
  readonly rank: number
  /** Text of its accepted answer, else of its best one; null without answers. Cut at 2,000 characters. */
  readonly answer: string | null
}

/** Questions found. */
const SIZE = 5

/**
 * Questions about the same, the nearest first: those sharing the most telling words, in titles above all, and those with a
 * title like theirs. Work is bounded: candidates come by the rarest words and pairs of words, at most MAX_RANKED of them.
 * @param readable the courses the viewer may read, where they are known: `courseId` alone if there is one
 */
export async function findSimilar(
  db: Database,
  viewer: Actor | null,
  to: SimilarTo,
  readable: ReadableCourses | null = null,
): Promise<SimilarQuestion[]> {
  const courses = readable ?? (await coursesOf(db, viewer, to))
  return withAnswers(db, await nearIn(db, to, courses, SIZE), courses)
}

/** Their ids alone, of duplicates those of the questions that answer them. */
export async function findNear(
  db: Database,
  viewer: Actor | null,
  to: SimilarTo,
  size: number,
): Promise<number[]> {
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

interface AnsweredRow {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly answers_count: number
  readonly author_id: number
  readonly language: Language
  readonly answer_html: string | null
}

/** What is shown of them, of a duplicate the question it is one of, if that may be read; one that was deleted meanwhile is left out. */
async function withAnswers(
  db: Database,
  near: readonly NearQuestion[],
  courses: ReadableCourses,
): Promise<SimilarQuestion[]> {
  if (near.length === 0) return []
  const { rows } = await sql<AnsweredRow>`
    select q.id, q.title, q.status, q.answers_count, q.author_id, course.language,
      (select left(body_html, 2000) from answers where question_id = q.id and is_shown
        order by id is not distinct from q.accepted_answer_id desc, votes_count desc, id limit 1) as answer_html
    from questions as q join courses as course on course.id = q.course_id where q.id = any(${near.flatMap(({ id, duplicateOf }) => [id, duplicateOf])}::bigint[]) and q.is_listed
      and q.course_id = any(${courses.ids}::bigint[])`.execute(db)
  const found = new Map(rows.map((row) => [row.id, row]))
  return near.flatMap(({ id, duplicateOf, rank }) => {
    const row = found.get(duplicateOf ?? id) ?? found.get(id)
    if (row === undefined) return []
    const { answers_count: answersCount, author_id: authorId, answer_html: html, ...shown } = row
    return [{ ...shown, rank, answersCount, authorId, answer: html === null ? null : plainText(html) }]
  })
}
