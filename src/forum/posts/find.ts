import { type RawBuilder, sql } from 'kysely'
import type { Database, Row } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import {
  type Actor,
  type CourseAct,
  type PostAct,
  UNDO_HOURS,
  type Written,
} from '../../kernel/rights/rights.ts'
import { hidingOf, isThere } from '../../kernel/rights/visibility.ts'
import { hasBlocklist } from '../blocklists/blocklist.ts'
import { ofEachKind, type PostKey } from './kinds.ts'

/** A question, answer or reply as far as rights and addresses go. */
export interface Post extends Written {
  readonly id: number
  /** Which posts of its course wait to be let through. */
  readonly hold: Row<'courses'>['hold']
  readonly hasBlocklist: boolean
  readonly questionId: number
  /** Of the question it belongs to; empty once that is deleted, as addresses repeat it and nobody is told it any more. */
  readonly title: string
}

export function questionOf({ questionId, title, audience }: Post) {
  return { id: questionId, title, audience }
}

/** Finds a post for an act on it. @throws Problem 404, 410 or 403 when the viewer cannot do that, NeedsSignIn */
export const FIND = ofEachKind(
  (table) => async (db: Database, viewer: Actor | null, id: number, act: CourseAct | PostAct) => {
    const post = await findPlace(db, { table, id })
    requireRight(viewer, act, post)
    return post
  },
)
export const { questions: findQuestion, answers: findAnswer, replies: findReply } = FIND

/** A post and those above it, from its question `q` on: the last is the post itself. */
const PLACES = {
  questions: { chain: ['q'], below: sql`` },
  answers: { chain: ['q', 'a'], below: sql`join answers as a on a.question_id = q.id` },
  replies: {
    chain: ['q', 'a', 'r'],
    below: sql`join replies as r on r.question_id = q.id left join answers as a on a.id = r.answer_id`,
  },
} as const

/** A post as far as rights go, whoever looks. @throws Problem 404 */
export async function findPlace(db: Database, { table, id }: PostKey): Promise<Post> {
  const { chain, below } = PLACES[table]
  const post = chain[chain.length - 1] ?? 'q'
  const own = (column: string) => sql.ref(`${post}.${column}`)
  // Of the hidden or held posts among it and those above it.
  const hiddenAuthors = sql.join(
    chain.map((one) => sql`case when ${hidingOf(one)} is not null then ${sql.ref(`${one}.author_id`)} end`),
  )
  const { rows } = await sql<Post>`
    select ${own('id')}, q.id as "questionId", case when q.deleted_at is null then q.title else '' end as title,
      ${own('author_id')} as "authorId", q.author_id as "askerId", q.audience, course.id as "courseId",
      course.is_public as "isPublic", course.asking = 'everybody' as "isOpen", course.archived_at is not null as "isArchived", course.hold,
      ${hasBlocklist(sql`course.id`)} as "hasBlocklist",
      ${own('deleted_at')} is not null as "isDeleted", ${isUndoable(post)} as "isUndoable",
      q.deleted_at is not null as "isOrphan", ${table === 'replies' ? sql`a.deleted_at is not null` : sql`false`} as "isBuried",
      ${own('purged_at')} is not null as "isPurged",
      to_jsonb(array_remove(array[${hiddenAuthors}], null)) as "hiddenAuthors"
    from questions as q join courses as course on course.id = q.course_id ${below}
    where ${own('id')} = ${id} and ${isThere('q')} and ${isThere(post)}`.execute(db)
  const [found] = rows
  if (found === undefined) throw notFound()
  return found
}

/** Whether the author of a post deleted it, less than UNDO_HOURS ago. @param post its table's alias */
export function isUndoable(post: 'q' | 'a' | 'r'): RawBuilder<boolean> {
  const [deletedBy, authorId, deletedAt] = ['deleted_by', 'author_id', 'deleted_at'].map((column) =>
    sql.ref(`${post}.${column}`),
  )
  return sql<boolean>`coalesce(
    ${deletedBy} = ${authorId} and ${deletedAt} > now() - make_interval(hours => ${UNDO_HOURS}::integer), false)`
}

/**
 * When something in a question's tree is written: now, but after what is there already and after it was closed, should the server's clock have been put
 * back. Whose turn a question is goes by who wrote last. The question has to be locked.
 */
export function writtenNow(questionId: number): RawBuilder<Date> {
  return sql<Date>`greatest(now(), (
    select greatest(active_at, closed_at) + interval '1 millisecond' from questions where id = ${questionId}))`
}
