import { type RawBuilder, sql } from 'kysely'
import type { Asking, Audience, Database } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'
import { requireRight } from '../../operations/require-right.ts'
import type { Actor, CourseAct, PostAct, Written } from '../../rights/rights.ts'
import { hidingOf } from '../../rights/visibility.ts'
import { isUndoable } from './undoable.ts'

/** A question, answer or reply as far as rights and addresses go. */
export interface Post extends Written {
  readonly id: number
  readonly questionId: number
  /** Of the question it belongs to; empty once that is deleted, as addresses repeat it and nobody is told it any more. */
  readonly title: string
}

/** The question that a post belongs to, as far as its address goes. */
export function questionOf({ questionId, title, audience }: Post) {
  return { id: questionId, title, audience }
}

/** A question as far as rights go, whoever looks. @throws Problem 404 */
export async function findPlaceOfQuestion(db: Database, id: number): Promise<Post> {
  const query = selectPlaces(db)
    .select(['q.id', 'q.author_id', 'q.deleted_at', 'q.purged_at', isUndoable('q').as('is_undoable')])
    .select(hiddenAuthors('q').as('hidden_authors'))
    .where('q.id', '=', id)
  return postOf(await query.executeTakeFirst())
}

/** An answer as far as rights go, whoever looks. @throws Problem 404 */
export async function findPlaceOfAnswer(db: Database, id: number): Promise<Post> {
  const query = selectPlaces(db)
    .innerJoin('answers as a', 'a.question_id', 'q.id')
    .select(['a.id', 'a.author_id', 'a.deleted_at', 'a.purged_at', isUndoable('a').as('is_undoable')])
    .select(hiddenAuthors('q', 'a').as('hidden_authors'))
    .where('a.id', '=', id)
  return postOf(await query.executeTakeFirst())
}

/** A reply as far as rights go, whoever looks. @throws Problem 404 */
export async function findPlaceOfReply(db: Database, id: number): Promise<Post> {
  const query = selectPlaces(db)
    .innerJoin('replies as r', 'r.question_id', 'q.id')
    .leftJoin('answers as a', 'a.id', 'r.answer_id')
    .select(['r.id', 'r.author_id', 'r.deleted_at', 'r.purged_at', isUndoable('r').as('is_undoable')])
    .select(hiddenAuthors('q', 'a', 'r').as('hidden_authors'))
    .select('a.deleted_at as answer_deleted_at')
    .where('r.id', '=', id)
  return postOf(await query.executeTakeFirst())
}

/** Finds a post for an act on it. @throws Problem 404, 410 or 403 when the viewer cannot do that, NeedsSignIn */
const permitted =
  (findPlace: (db: Database, id: number) => Promise<Post>) =>
  async (db: Database, viewer: Actor | null, id: number, act: CourseAct | PostAct): Promise<Post> => {
    const post = await findPlace(db, id)
    requireRight(viewer, act, post)
    return post
  }

export const findQuestion = permitted(findPlaceOfQuestion)
export const findAnswer = permitted(findPlaceOfAnswer)
export const findReply = permitted(findPlaceOfReply)

/** Authors of the hidden or held posts among a post and those above it. @param posts aliases of their tables */
function hiddenAuthors(...posts: ('q' | 'a' | 'r')[]): RawBuilder<number[]> {
  const each = posts.map(
    (post) => sql`case when ${hidingOf(post)} is not null then ${sql.ref(`${post}.author_id`)} end`,
  )
  return sql<number[]>`to_jsonb(array_remove(array[${sql.join(each)}], null))`
}

/** Where posts belong: their question and its course. */
function selectPlaces(db: Database) {
  return db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select([
      'q.id as question_id',
      'q.title',
      'q.author_id as asker_id',
      'q.deleted_at as question_deleted_at',
    ])
    .select([
      'q.audience',
      'course.id as course_id',
      'course.is_public',
      'course.asking',
      'course.archived_at',
    ])
}

interface PostRow {
  id: number
  question_id: number
  title: string
  author_id: number
  asker_id: number
  deleted_at: Date | null
  purged_at: Date | null
  is_undoable: boolean
  hidden_authors: number[]
  /** Of a reply. */
  answer_deleted_at?: Date | null
  question_deleted_at: Date | null
  audience: Audience
  course_id: number
  is_public: boolean
  asking: Asking
  archived_at: Date | null
}

function postOf(row: PostRow | undefined): Post {
  if (row === undefined) throw notFound()
  return {
    id: row.id,
    questionId: row.question_id,
    title: row.question_deleted_at === null ? row.title : '',
    authorId: row.author_id,
    askerId: row.asker_id,
    audience: row.audience,
    courseId: row.course_id,
    isPublic: row.is_public,
    isOpen: row.asking === 'everybody',
    isArchived: row.archived_at !== null,
    isDeleted: row.deleted_at !== null,
    isUndoable: row.is_undoable,
    isOrphan: row.question_deleted_at !== null,
    isBuried: (row.answer_deleted_at ?? null) !== null,
    isPurged: row.purged_at !== null,
    hiddenAuthors: row.hidden_authors,
  }
}
