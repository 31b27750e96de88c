import { type RawBuilder, sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { ofEveryKind, withQuestion } from '../posts/columns.ts'
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
    ${ofEveryKind(
      (table) => sql`
      select ${sql.lit(table)} as table, post.id, ${sql.lit(KINDS[table].column)} as column, q.id as "questionId"
      from ${withQuestion(table)} where ${inScope}`,
    )}
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
    select count(*)::integer as count
    from (${ofEveryKind((table) => sql`select from ${withQuestion(table)} where ${inScope}`)}) as post`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
