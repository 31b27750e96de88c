import { sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { POST_COLUMNS, type PostKey } from '../posts/kinds.ts'

/** A post as measures find it. */
export interface CasePost extends PostKey {
  readonly questionId: number
  readonly column: (typeof POST_COLUMNS)[PostKey['table']]
}

/** The post that a case is about; null: a person, or it is gone for good. */
export async function postOfCase(
  db: Database | Write,
  matter: Pick<Row<'cases'>, 'question_id' | 'answer_id' | 'reply_id'>,
): Promise<CasePost | null> {
  for (const table of ['questions', 'answers', 'replies'] as const) {
    const column = POST_COLUMNS[table]
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
