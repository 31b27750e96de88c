import { type ExpressionBuilder, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Schema } from '../../database/schema.ts'

/** The tags of the question `q` of a query, in the order the asker gave them: `[{ name }]`. */
export function tagsOf(select: ExpressionBuilder<Schema & { q: Schema['questions'] }, 'q'>) {
  return jsonArrayFrom(
    select
      .selectFrom('question_tags')
      // By their keys: a join would read all tags for each question of a forum with few.
      .select(sql<string>`(select name from tags where tags.id = question_tags.tag_id)`.as('name'))
      .whereRef('question_tags.question_id', '=', 'q.id')
      .orderBy('question_tags.position'),
  )
}
