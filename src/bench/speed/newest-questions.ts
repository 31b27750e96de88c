import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type ListedQuestion, PAGE_SIZE } from '../../questions/list.ts'

/** The newest questions with all that a list shows of them: one query, as simple as it can be. */
export async function newestQuestions(db: Database): Promise<ListedQuestion[]> {
  const { rows } = await sql<ListedQuestion>`
    select q.id, q.title, q.status, q.answers_count, q.views_count, q.votes_count, q.written_at, q.active_at,
      author.id as author_id, author.display_name, author.questions_count,
      lecture.position as lecture_position, lecture.title as lecture_title,
      course.id as course_id, course.slug as course_slug, course.title as course_title, course.time_zone,
      (select coalesce(jsonb_agg(jsonb_build_object('name', tags.name) order by question_tags.position), '[]')
        from question_tags join tags on tags.id = tag_id where question_id = q.id) as tags,
      exists (select from answers join course_members as member
        on member.person_id = answers.author_id and member.course_id = q.course_id and member.role = 'instructor'
        where answers.question_id = q.id and answers.deleted_at is null) as has_instructor_answer
    from questions as q
      join courses as course on course.id = q.course_id
      join people as author on author.id = q.author_id
      left join lectures as lecture on lecture.id = q.lecture_id
    where q.deleted_at is null and course.is_public
    order by q.written_at desc, q.id desc limit ${PAGE_SIZE}`.execute(db)
  return rows
}
