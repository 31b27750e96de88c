import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { sweep } from '../../database/sweep.ts'
import { term } from '../../database/terms.ts'

/**
 * Deletes accounts whose address nobody confirmed in a year, and of which nobody would miss anything: a stranger may have typed it.
 * Uses index people_unconfirmed.
 */
export function sweepUnconfirmed(db: Database): Promise<number> {
  const none = (table: string, column: string) =>
    sql`not exists (select from ${sql.table(table)} as own where own.${sql.ref(column)} = people.id)`
  return sweep(
    db,
    'people',
    sql`email is not null and email_confirmed_at is null and joined_at < now() - ${term('unconfirmed')}
      and not is_admin and left_at is null
      and ${none('sessions', 'person_id')} and ${none('course_members', 'person_id')}
      and ${none('questions', 'author_id')} and ${none('answers', 'author_id')} and ${none('replies', 'author_id')}
      and ${none('question_votes', 'person_id')} and ${none('answer_votes', 'person_id')}`,
  )
}
