import { type RawBuilder, sql } from 'kysely'

/**
 * When something in a question's tree is written: now, but after what is there already, should the server's clock have been put
 * back. Whose turn a question is goes by who wrote last. The question has to be locked.
 */
export function writtenNow(questionId: number): RawBuilder<Date> {
  return sql<Date>`greatest(now(), (select active_at + interval '1 millisecond' from questions where id = ${questionId}))`
}
