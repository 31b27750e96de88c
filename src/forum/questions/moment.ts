import { type RawBuilder, sql } from 'kysely'

/**
 * When something in a question's tree is written: now, but not before what is there already, should the server's clock have
 * been put back. The question has to be locked.
 */
export function writtenNow(questionId: number): RawBuilder<Date> {
  return sql<Date>`greatest(now(), (select active_at from questions where id = ${questionId}))`
}
