import { sql } from 'kysely'
import { recount } from '../database/recount.ts'
import type { CourseImport } from './course-import.ts'

const GROWN = [
  'people',
  'questions',
  'answers',
  'replies',
  'tags',
  'question_tags',
  'course_tags',
  'imported_posts',
]

/** What can be set only when all posts are there: acceptances, times of activity, tags, counters. */
export async function finishImport(course: CourseImport): Promise<void> {
  await acceptAnswers(course)
  await moveActivity(course)
  await tagQuestions(course)
  // Without it the planner takes the tables for as small as they were.
  await sql`analyze ${sql.join(GROWN.map((table) => sql.table(table)))}`.execute(course.write)
  await recount(course.write, { fix: true })
}

async function acceptAnswers({ write, tally, courseId }: CourseImport): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update questions set status = 'resolved', accepted_answer_id = answer.id
    from dump_accepted as accepted
    join imported_posts as post
      on post.course_id = ${courseId} and post.kind = 'answer' and post.source_id = accepted.answer_source_id
    join answers as answer on answer.id = post.post_id
    where questions.id = accepted.question_id and answer.question_id = questions.id`.execute(write)
  const { rows } = await sql<{ count: number }>`select count(*) as count from dump_accepted`.execute(write)
  const missing = (rows[0]?.count ?? 0) - Number(numAffectedRows)
  tally.note('questions unresolved here, as their accepted answer is not in the dump', missing)
}

/** A newer dump may bring answers to questions that are here already. */
async function moveActivity({ write, courseId }: CourseImport): Promise<void> {
  await sql`
    update questions set active_at = answered.latest
    from (
      select question_id, max(written_at) as latest from answers where deleted_at is null group by question_id
    ) as answered
    where questions.id = answered.question_id and questions.course_id = ${courseId} and questions.is_imported
    and questions.active_at < answered.latest`.execute(write)
}

async function tagQuestions({ write }: CourseImport): Promise<void> {
  await sql`
    insert into tags (name) select distinct name from dump_question_tags order by name
    on conflict (name) do nothing`.execute(write)
  await sql`
    insert into question_tags (question_id, position, tag_id)
    select staged.question_id, staged.position, tags.id
    from dump_question_tags as staged join tags using (name)`.execute(write)
}
