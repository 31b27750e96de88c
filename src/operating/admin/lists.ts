import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { type PageRequest, pageOf } from '../../database/keyset.ts'
import type { Database, Write } from '../../database/schema.ts'
import { named } from '../../forum/members/queries.ts'
import { canSignIn } from '../../rights/can-sign-in.ts'

export const PER_PAGE = 50
/** Courses named of one person, and teachers of one course. */
const MAX_NAMED = 5

export type ListedPerson = Awaited<ReturnType<typeof listPeople>>['rows'][number]
export type AdminCourse = Awaited<ReturnType<typeof listAllCourses>>['rows'][number]

/** Accounts, the newest first, with what they teach. Indexes people_pkey, people_name_parts, people_email_parts. */
export async function listPeople(db: Database, search: string | null, request: PageRequest) {
  const { isBackwards, cursor, direction } = sideOf(request)
  const rows = await db
    .selectFrom('people as person')
    .select(['person.id', 'person.display_name', 'person.email', 'person.is_admin', 'person.joined_at'])
    .select([canSignIn().as('can_sign_in'), isConfirmed.as('is_confirmed')])
    .select(
      sql<Date | null>`(select max(last_seen_at) from sessions where sessions.person_id = person.id)`.as(
        'last_seen_at',
      ),
    )
    .select((select) => [
      jsonArrayFrom(
        select
          .selectFrom('course_members as member')
          .innerJoin('courses as course', 'course.id', 'member.course_id')
          .select(['course.slug', 'course.title', 'course.language', 'member.role'])
          .whereRef('member.person_id', '=', 'person.id')
          .where('member.role', '<>', 'learner')
          .orderBy('course.id', 'desc')
          .limit(MAX_NAMED),
      ).as('teaches'),
    ])
    .where('person.left_at', 'is', null)
    .where(sql<boolean>`${named(search)}`)
    .$if(cursor !== null, (query) => query.where('person.id', isBackwards ? '>' : '<', cursor?.id ?? 0))
    .orderBy('person.id', direction)
    .limit(PER_PAGE + 1)
    .execute()
  return pageOf(rows, PER_PAGE, request)
}

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
const isConfirmed = sql<boolean>`(person.email is null or person.email_confirmed_at is not null)`

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
