import { type RawBuilder, sql } from 'kysely'
import { canSignIn } from '../../rights/can-sign-in.ts'

/**
 * The staff of a course who can be told of somebody's question, as a table: `person_id`, `role`, and whether they follow the course
 * (`follows`), as staff do unless they said otherwise. Not who asked, nor who cannot sign in.
 */
export function staffToTell(
  courseId: RawBuilder<unknown>,
  askerId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`(
    select staff.person_id, staff.role, coalesce(said.is_followed, true) as follows
    from course_members as staff
    join people as account on account.id = staff.person_id and ${canSignIn('account')}
    left join course_follows as said on said.course_id = staff.course_id and said.person_id = staff.person_id
    where staff.course_id = ${courseId} and staff.role <> 'learner' and staff.person_id <> ${askerId})`
}
