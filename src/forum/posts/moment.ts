import { type RawBuilder, sql } from 'kysely'

/**
 * When something in a question's tree is written: now, but after what is there already and after it was closed, should the server's clock have been put
 * back. Whose turn a question is goes by who wrote last. The question has to be locked.
 */
export function writtenNow(questionId: number): RawBuilder<Date> {
  return sql<Date>`greatest(now(), (
    select greatest(active_at, closed_at) + interval '1 millisecond' from questions where id = ${questionId}))`
}
