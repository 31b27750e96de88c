import { sql } from 'kysely'
import type { CourseImport } from './course-import.ts'
import { stageThreads } from './staging.ts'

/**
 * Accepts the answers that the dump says. Of a question that an earlier import brought, where nobody decided otherwise here: it
 * is unresolved, and was so ever since.
 */
export async function acceptAnswers({ write, tally, courseId }: CourseImport): Promise<void> {
  const { rows: taken } = await sql<{ question_id: number; is_new: boolean }>`
    update questions set status = 'resolved', accepted_answer_id = answer.id
    from dump_accepted as accepted
    join imported_posts as post
      on post.course_id = ${courseId} and post.kind = 'answer' and post.source_id = accepted.answer_source_id
    join answers as answer on answer.id = post.answer_id
    where questions.id = accepted.question_id and answer.question_id = questions.id
      and (accepted.is_new or (questions.status = 'unresolved' and questions.reopened_at is null
        and questions.is_shown and questions.duplicate_of is null and answer.is_shown))
    returning questions.id as question_id, accepted.is_new`.execute(write)
  const { rows } = await sql<{ missing: number; otherwise: number }>`
    select count(*) filter (where accepted.is_new and question.accepted_answer_id is null) as missing,
      count(*) filter (where not accepted.is_new and post.answer_id is distinct from question.accepted_answer_id) as otherwise
    from dump_accepted as accepted join questions as question on question.id = accepted.question_id
    left join imported_posts as post
      on post.course_id = ${courseId} and post.kind = 'answer' and post.source_id = accepted.answer_source_id`.execute(
    write,
  )
  const before = taken.filter(({ is_new }) => !is_new)
  await stageThreads(write, before)
  tally.note('questions unresolved here, as their accepted answer is not in the dump', rows[0]?.missing ?? 0)
  tally.note('questions imported before, whose answer was accepted since: taken', before.length)
  tally.note(
    'questions imported before, whose accepted answer is another one in the dump: not taken, as decided here',
    rows[0]?.otherwise ?? 0,
  )
}
