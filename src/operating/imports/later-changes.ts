import { sql } from 'kysely'
import type { CourseImport } from './course-import.ts'
import type { DumpRow } from './dump-row.ts'
import { stageRows } from './staging.ts'

/** A post of the dump that an earlier import brought. */
interface KnownPost {
  readonly id: number
  readonly row: DumpRow
}

/** Says which changes of the dump are not taken over, since they may have been made here as well: edits and scores. */
export async function noteLaterChanges(
  { write, tally }: CourseImport,
  table: 'questions' | 'answers',
  posts: readonly KnownPost[],
): Promise<void> {
  if (posts.length === 0) return
  const { rows } = await sql<{ edited: number; scored: number }>`
    select count(*) filter (where dump.edited_at > coalesce(post.edited_at, post.written_at)) as edited,
      count(*) filter (where dump.score <> post.imported_votes_count) as scored
    from ${sql.table(table)} as post
    join unnest(${posts.map(({ id }) => id)}::bigint[], ${posts.map(({ row }) => row.count('Score'))}::integer[],
      ${posts.map(({ row }) => row.optionalTime('LastEditDate'))}::timestamptz[]) as dump (id, score, edited_at) using (id)`.execute(
    write,
  )
  tally.note(
    `${table} imported before, and edited in the dump since: edits are not taken`,
    rows[0]?.edited ?? 0,
  )
  tally.note(
    `${table} imported before, with another score in the dump: scores are not taken`,
    rows[0]?.scored ?? 0,
  )
}

/** Which answers the dump says are accepted, of new questions and of those that an earlier import brought. */
export async function stageAccepted(
  { write }: CourseImport,
  questions: readonly KnownPost[],
  isNew: boolean,
): Promise<void> {
  const accepted = questions.flatMap(({ id, row }) => {
    const answer = row.optionalId('AcceptedAnswerId')
    return answer === null ? [] : [{ question_id: id, answer_source_id: answer, is_new: isNew }]
  })
  await stageRows(write, 'dump_accepted', accepted)
}
