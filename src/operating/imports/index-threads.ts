import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { indexNewQuestions, indexQuestions } from '../../forum/search/index-question.ts'
import type { CourseImport } from './course-import.ts'

const BATCH_SIZE = 100

/** Builds the search documents of the new questions. */
export async function indexNewThreads({ write, onProgress }: CourseImport): Promise<void> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from dump_threads where is_new`.execute(write)
  onProgress?.begin('Indexing', rows[0]?.count ?? 0)
  for await (const ids of threads(write, true)) {
    await indexNewQuestions(write, ids)
    onProgress?.advance(ids.length)
  }
}

/**
 * Rebuilds the search documents of questions that got new answers or replies, those of long threads after the import. Their rows
 * are locked against concurrent writers.
 */
export async function indexOldThreads({ write }: CourseImport): Promise<void> {
  for await (const ids of threads(write, false)) {
    await sql`select id from questions where id = any(${ids}::bigint[]) order by id for no key update`.execute(
      write,
    )
    await indexQuestions(write, ids)
  }
}

async function* threads(write: Write, isNew: boolean): AsyncGenerator<number[]> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const { rows } = await sql<{ question_id: number }>`
      select question_id from dump_threads where is_new = ${isNew} and question_id > ${last}
      order by question_id limit ${BATCH_SIZE}`.execute(write)
    const ids = rows.map((row) => row.question_id)
    if (ids.length > 0) yield ids
    last = ids.at(-1)
  }
}
