import type { Database } from '../database/schema.ts'
import { type Actor, may, type PlaceAct, type PostAct, type Written } from '../rights.ts'
import { forbidden, gone, notFound } from '../web/problem.ts'

/** A question, answer or reply as far as rights and addresses go. */
export interface Post extends Written {
  readonly id: number
  readonly questionId: number
  /** Of the question it belongs to. */
  readonly title: string
  readonly isDeleted: boolean
}

/** Finds a question for an act on it. @throws Problem 404, 410 or 403 when the viewer cannot do that */
export async function findQuestion(
  db: Database,
  viewer: Actor | null,
  id: number,
  act: PlaceAct | PostAct,
): Promise<Post> {
  const row = await db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select([
      'q.id',
      'q.id as question_id',
      'q.title',
      'q.author_id',
      'q.author_id as asker_id',
      'q.deleted_at',
    ])
    .select(['course.id as course_id', 'course.is_public'])
    .where('q.id', '=', id)
    .executeTakeFirst()
  return permitted(viewer, row, act)
}

/** Finds an answer for an act on it. @throws Problem 404, 410 or 403 when the viewer cannot do that */
export async function findAnswer(
  db: Database,
  viewer: Actor | null,
  id: number,
  act: PlaceAct | PostAct,
): Promise<Post> {
  const row = await db
    .selectFrom('answers as a')
    .innerJoin('questions as q', 'q.id', 'a.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select([
      'a.id',
      'q.id as question_id',
      'q.title',
      'a.author_id',
      'q.author_id as asker_id',
      'a.deleted_at',
    ])
    .select(['course.id as course_id', 'course.is_public'])
    .where('a.id', '=', id)
    .executeTakeFirst()
  return permitted(viewer, row, act)
}

/** Finds a reply for an act on it. @throws Problem 404, 410 or 403 when the viewer cannot do that */
export async function findReply(
  db: Database,
  viewer: Actor | null,
  id: number,
  act: PlaceAct | PostAct,
): Promise<Post> {
  const row = await db
    .selectFrom('replies as r')
    .innerJoin('questions as q', 'q.id', 'r.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .leftJoin('answers as a', 'a.id', 'r.answer_id')
    .select(['r.id', 'q.id as question_id', 'q.title', 'r.author_id', 'q.author_id as asker_id'])
    .select((select) => select.fn.coalesce('r.deleted_at', 'a.deleted_at').as('deleted_at'))
    .select(['course.id as course_id', 'course.is_public'])
    .where('r.id', '=', id)
    .executeTakeFirst()
  return permitted(viewer, row, act)
}

interface PostRow {
  id: number
  question_id: number
  title: string
  author_id: number
  asker_id: number
  deleted_at: Date | null
  course_id: number
  is_public: boolean
}

/** What somebody may not read is not there for them: 404, not 403, so that a private course stays unknown. */
function permitted(viewer: Actor | null, row: PostRow | undefined, act: PlaceAct | PostAct): Post {
  if (row === undefined) throw notFound()
  const post = {
    id: row.id,
    questionId: row.question_id,
    title: row.title,
    authorId: row.author_id,
    askerId: row.asker_id,
    courseId: row.course_id,
    isPublic: row.is_public,
    isDeleted: row.deleted_at !== null,
  }
  if (!may(viewer, 'read', post)) throw notFound()
  if (post.isDeleted) throw gone()
  if (!may(viewer, act, post)) throw forbidden()
  return post
}
