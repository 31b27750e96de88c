import type { ExpressionBuilder } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Schema } from '../../database/schema.ts'

/** The tags of the question `q` of a query, in the order the asker gave them: `[{ name }]`. */
export function tagsOf(select: ExpressionBuilder<Schema & { q: Schema['questions'] }, 'q'>) {
  return jsonArrayFrom(
    select
      .selectFrom('question_tags')
      .innerJoin('tags', 'tags.id', 'question_tags.tag_id')
      .select('tags.name')
      .whereRef('question_tags.question_id', '=', 'q.id')
      .orderBy('question_tags.position'),
  )
}
