import { type RawBuilder, sql } from 'kysely'
import { mayReadQuestion } from './visibility.ts'

/** Whether the person of alias `person` may read the course of alias `course`; `member`: their row in it or nulls. */
export const isCourseReadableByPerson: RawBuilder<boolean> = sql<boolean>`(
  course.is_public or member.person_id is not null or person.is_admin)`

/**
 * Whether the person of alias `person` may read the question of alias `q`, which is not deleted, as a condition of a query over
 * many people. Aliases `course`, of the question, and `member`, the person's row in it or nulls. readable-question.test.ts holds
 * it to the table of rights. Whoever is told of something asks for `q.is_shown` as well.
 */
export const isReadableByPerson: RawBuilder<boolean> = sql<boolean>`(q.deleted_at is null and ${mayReadQuestion(
  {
    readsCourse: isCourseReadableByPerson,
    isAsker: sql`q.author_id = person.id`,
    isStaff: sql`coalesce(member.role <> 'learner', false) or person.is_admin`,
  },
)})`

/** The joins that isReadableByPerson needs beside `person` and `q`. */
export const joinReader: RawBuilder<unknown> = sql`
  join courses as course on course.id = q.course_id
  left join course_members as member on member.course_id = q.course_id and member.person_id = person.id`
