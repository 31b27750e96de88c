import { type RawBuilder, sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { KINDS, ofEveryKind, POST_TABLES, type PostKey, withQuestion } from '../posts/kinds.ts'

export type CasePost = PostKey & { readonly questionId: number }

/** A person, in a course; `courseId` null: everywhere. */
export interface PersonIn {
  readonly personId: number
  readonly courseId: number | null
}

/** The post that a case is about; null: a person, or it is gone for good. */
export async function postOfCase(
  db: Database | Write,
  matter: Pick<Row<'cases'>, 'question_id' | 'answer_id' | 'reply_id'>,
): Promise<CasePost | null> {
  for (const table of POST_TABLES) {
    const id = matter[KINDS[table].column]
    if (id === null) continue
    if (table === 'questions') return { table, id, questionId: id }
    const { rows } = await sql<{ questionId: number }>`
      select question_id as "questionId" from ${sql.table(table)} where id = ${id}`.execute(db)
    const [found] = rows
    return found === undefined ? null : { table, id, questionId: found.questionId }
  }
  return null
}

const isOf = ({ personId, courseId }: PersonIn, condition: RawBuilder<unknown>) =>
  sql`post.author_id = ${personId} and ${condition}
    and (${courseId}::bigint is null or q.course_id = ${courseId}::bigint)`

/** The posts of a person that a condition on `post` holds for, in the order of their questions, which writes lock. */
export async function postsOf(write: Write, person: PersonIn, condition: RawBuilder<unknown>) {
  const { rows } = await sql<CasePost>`
    ${ofEveryKind(
      (table) => sql`
      select ${sql.lit(table)} as table, post.id, q.id as "questionId"
      from ${withQuestion(table)} where ${isOf(person, condition)}`,
    )}
    order by "questionId", id`.execute(write)
  return rows
}

/** Counts the posts of a person that aren't deleted. */
export async function countPostsOf(db: Database, person: PersonIn): Promise<number> {
  const isThere = isOf(person, sql`post.deleted_at is null`)
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
    from (${ofEveryKind((table) => sql`select from ${withQuestion(table)} where ${isThere}`)}) as post`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
