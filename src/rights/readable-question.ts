import { type RawBuilder, sql } from 'kysely'

/** As accounts/sessions/sessions.ts has it: staff who owe a second factor read no private question. */
const OWES_SECOND_FACTOR = sql`exists (select from site_settings where staff_need_second_factor)
  and not exists (select from second_factors as app where app.person_id = person.id and app.confirmed_at is not null)
  and not exists (select from passkeys as passkey where passkey.person_id = person.id)`

/** Whether the person of alias `person` may read the course of alias `course`; `member`: their row in it or nulls. */
export const isCourseReadableByPerson: RawBuilder<boolean> = sql<boolean>`(
  course.is_public or member.person_id is not null or person.is_admin)`

/**
 * Whether the person of alias `person` may read the question of alias `q`, which is not deleted, as a condition of a query over
 * many people. Aliases `course`, of the question, and `member`, the person's row in it or nulls. readable-question.test.ts holds
 * it to the table of rights.
 */
export const isReadableByPerson: RawBuilder<boolean> = sql<boolean>`(
  q.deleted_at is null and ${isCourseReadableByPerson}
  and (q.audience = 'course' or q.author_id = person.id
    or (member.role <> 'learner' or person.is_admin) and not (${OWES_SECOND_FACTOR})))`

/** The joins that isReadableByPerson needs beside `person` and `q`. */
export const joinReader: RawBuilder<unknown> = sql`
  join courses as course on course.id = q.course_id
  left join course_members as member on member.course_id = q.course_id and member.person_id = person.id`
