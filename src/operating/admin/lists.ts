import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { type PageRequest, pageOf } from '../../database/keyset.ts'
import type { Database, Write } from '../../database/schema.ts'
import { canSignIn } from '../../rights/can-sign-in.ts'

export const PER_PAGE = 50
/** Teachers named of one course. */
const MAX_NAMED = 5

export type AdminCourse = Awaited<ReturnType<typeof listAllCourses>>['rows'][number]

/** All courses, the newest first, with who teaches them. There are far fewer than people: a search reads all of them. */
export async function listAllCourses(db: Database, search: string | null, request: PageRequest) {
  const { isBackwards, cursor, direction } = sideOf(request)
  const part = `%${(search ?? '').replace(/[\\%_]/g, '\\$&')}%`
  const rows = await db
    .selectFrom('courses as course')
    .select(['course.id', 'course.slug', 'course.title', 'course.language', 'course.is_public'])
    .leftJoin('course_deletions as deletion', 'deletion.course_id', 'course.id')
    .select(['course.archived_at', 'course.questions_count', 'deletion.deleted_at'])
    .select(
      sql<number>`(select count(*)::integer from course_members where course_id = course.id)`.as(
        'members_count',
      ),
    )
    .select((select) => [
      jsonArrayFrom(
        select
          .selectFrom('course_members as member')
          .innerJoin('people as person', 'person.id', 'member.person_id')
          .select(['person.id', 'person.display_name', 'member.role'])
          .whereRef('member.course_id', '=', 'course.id')
          .where('member.role', '<>', 'learner')
          .orderBy('member.role', 'desc')
          .orderBy('person.id')
          .limit(MAX_NAMED),
      ).as('teachers'),
    ])
    .$if(search !== null, (query) =>
      query.where(sql<boolean>`(course.title ilike ${part} or course.slug ilike ${part})`),
    )
    .$if(cursor !== null, (query) => query.where('course.id', isBackwards ? '>' : '<', cursor?.id ?? 0))
    .orderBy('course.id', direction)
    .limit(PER_PAGE + 1)
    .execute()
  return pageOf(rows, PER_PAGE, request)
}

/** Whether nobody has to confirm the address of the person of alias `person`: an account may have none. */
export const isConfirmed = sql<boolean>`(person.email is null or person.email_confirmed_at is not null)`

/** An account that somebody can sign in to; null when there is none such. */
export async function findPersonWhoCanSignIn(db: Database | Write, id: number) {
  const person = await db
    .selectFrom('people as person')
    .select(['person.id', 'person.display_name', isConfirmed.as('is_confirmed')])
    .where('person.id', '=', id)
    .where(canSignIn())
    .executeTakeFirst()
  return person ?? null
}

function sideOf(request: PageRequest) {
  const isBackwards = request.before !== null && request.after === null
  const direction: 'asc' | 'desc' = isBackwards ? 'asc' : 'desc'
  return { isBackwards, cursor: request.after ?? request.before, direction }
}
