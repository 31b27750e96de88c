import { type RawBuilder, sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { KINDS, POST_TABLES, type PostKey } from '../posts/kinds.ts'

export interface CasePost extends PostKey {
  readonly questionId: number
  readonly column: (typeof KINDS)[PostKey['table']]['column']
}

/** The post that a case is about; null: a person, or it is gone for good. */
export async function postOfCase(
  db: Database | Write,
  matter: Pick<Row<'cases'>, 'question_id' | 'answer_id' | 'reply_id'>,
): Promise<CasePost | null> {
  for (const table of POST_TABLES) {
    const column = KINDS[table].column
    const id = matter[column]
    if (id === null) continue
    if (table === 'questions') return { table, id, column, questionId: id }
    const { rows } = await sql<{ questionId: number }>`
      select question_id as "questionId" from ${sql.table(table)} where id = ${id}`.execute(db)
    const [found] = rows
    return found === undefined ? null : { table, id, column, questionId: found.questionId }
  }
  return null
}

/** The posts of a person in a course (null: in all) that a condition on `post` holds for, in the order of their questions, which writes lock. */
export async function postsOf(
  write: Write,
  { personId, courseId }: { readonly personId: number; readonly courseId: number | null },
  condition: RawBuilder<unknown>,
): Promise<CasePost[]> {
  const inScope = sql`post.author_id = ${personId} and ${condition}
    and (${courseId}::bigint is null or q.course_id = ${courseId}::bigint)`
  const { rows } = await sql<CasePost>`
    select 'questions' as table, post.id, 'question_id' as column, post.id as "questionId"
    from questions as post join questions as q on q.id = post.id where ${inScope}
    union all
    select 'answers', post.id, 'answer_id', q.id
    from answers as post join questions as q on q.id = post.question_id where ${inScope}
    union all
    select 'replies', post.id, 'reply_id', q.id
    from replies as post join questions as q on q.id = post.question_id where ${inScope}
    order by "questionId", id`.execute(write)
  return rows
}

/** Counts the posts of a person in a course (null: in all) that aren't deleted. */
export async function countPostsOf(
  db: Database,
  { personId, courseId }: { readonly personId: number; readonly courseId: number | null },
): Promise<number> {
  const inScope = sql`post.author_id = ${personId} and post.deleted_at is null
    and (${courseId}::bigint is null or q.course_id = ${courseId}::bigint)`
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from questions as post join questions as q on q.id = post.id where ${inScope})
      + (select count(*) from answers as post join questions as q on q.id = post.question_id where ${inScope})
      + (select count(*) from replies as post join questions as q on q.id = post.question_id where ${inScope}))::integer as count`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
