import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database, Role } from '../../database/schema.ts'
import { csvOf } from '../../text/csv.ts'
import { API, listOf, reading } from '../../web/json/endpoint.ts'
import { pageIn, paging } from '../../web/json/paging.ts'
import { count, id, resource, role, snaked, time, url } from '../../web/json/resource.ts'
import { personPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'

export const MEMBERS_PER_PAGE = 50
/** The latest; the others are found by searching. */
export const MAX_WAITING = 200

export const SHOWN = ['everybody', 'learners', 'staff', 'invited'] as const
export type Shown = (typeof SHOWN)[number]

export interface Member {
  readonly id: number
  readonly displayName: string
  readonly email: string | null
  readonly role: Role
  readonly isAdmin: boolean
  readonly questionsCount: number
  readonly answersCount: number
  readonly lastSeenAt: Date | null
}

/**
 * Members of a course, the newest accounts first, with what they wrote there. Indexes course_members_pkey,
 * course_members_staff, course_authors_pkey; with a search people_name_parts, people_email_parts or people_beginnings.
 */
export async function listMembers(
  db: Database,
  courseId: number,
  filter: { readonly show: Shown; readonly search: string | null },
  request: PageRequest,
  size = MEMBERS_PER_PAGE,
) {
  const { beyond, order } = pageAlong(null, 'member.person_id', 'count', request)
  const { rows } = await sql<Member>`
    select person.id, person.display_name as "displayName", person.email, member.role, person.is_admin as "isAdmin",
      coalesce(wrote.questions_count, 0) as "questionsCount", coalesce(wrote.answers_count, 0) as "answersCount",
      (select max(last_seen_at) from sessions where sessions.person_id = person.id) as "lastSeenAt"
    from course_members as member join people as person on person.id = member.person_id
    left join course_authors as wrote on wrote.course_id = member.course_id and wrote.person_id = member.person_id
    where member.course_id = ${courseId} and ${ofRole(filter.show)} and ${named(filter.search)} and ${beyond}
    order by ${order} limit ${size + 1}`.execute(db)
  return pageOf(rows, size, request)
}

/** Those of these people who are members, by name. Index course_members_pkey. */
export function membersAmong(db: Database, courseId: number, ids: readonly number[]) {
  return db
    .selectFrom('course_members as member')
    .innerJoin('people as person', 'person.id', 'member.person_id')
    .select(['person.display_name as name', 'person.id as value'])
    .where('member.course_id', '=', courseId)
    .where('member.person_id', 'in', ids)
    .orderBy('person.display_name')
    .orderBy('person.id')
    .execute()
}

/** Those of these addresses for which a role waits. Index pending_roles_pkey. */
export function waitingAmong(db: Database, courseId: number, emails: readonly string[]) {
  return db
    .selectFrom('pending_roles')
    .select(['email as name', 'email as value'])
    .where('course_id', '=', courseId)
    .where('email', 'in', emails)
    .orderBy('email')
    .execute()
}

/** How many each tab shows: of a course of 20,000 a few milliseconds. Indexes course_members_pkey, course_members_staff, pending_roles_pkey. */
export async function countMembers(db: Database, courseId: number): Promise<Readonly<Record<Shown, number>>> {
  const { rows } = await sql<{ everybody: number; staff: number; invited: number }>`
    select (select count(*) from course_members where course_id = ${courseId}) as everybody,
      (select count(*) from course_members where course_id = ${courseId} and role <> 'learner') as staff,
      (select count(*) from pending_roles where course_id = ${courseId}) as invited`.execute(db)
  const { everybody = 0, staff = 0, invited = 0 } = rows[0] ?? {}
  return { everybody, learners: everybody - staff, staff, invited }
}

/** Addresses whose owners have not confirmed them yet, with the role that waits, and the name that a list gave them. */
export function listWaiting(db: Database, courseId: number, search: string | null) {
  const part = partOf(search ?? '')
  return db
    .selectFrom('pending_roles')
    .select(['email', 'name', 'role', 'given_at'])
    .where('course_id', '=', courseId)
    .$if(search !== null, (query) =>
      query.where((or) => or.or([or('email', 'ilike', part), or('name', 'ilike', part)])),
    )
    .orderBy('given_at', 'desc')
    .orderBy('email')
    .limit(MAX_WAITING)
    .execute()
}

function ofRole(show: Shown): RawBuilder<unknown> {
  if (show === 'learners') return sql`member.role = 'learner'`
  return show === 'staff' ? sql`member.role <> 'learner'` : sql`true`
}

const SHORT = /^[\p{L}\p{N}]{1,2}$/u
const SYLLABLES = /^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}$/u

/**
 * Whether a name or an address contains that, as a condition on `person`. One or two letters begin a word of the name, or the
 * address; Korean, Chinese and Japanese ones may stand anywhere in the name. They are looked up on their own, by index
 * people_beginnings: reading people in order until enough fit may read them all.
 */
export function named(search: string | null): RawBuilder<unknown> {
  if (search === null) return sql`true`
  if (!SHORT.test(search))
    return sql`(person.display_name ilike ${partOf(search)} or person.email ilike ${partOf(search)})`
  const isTogether = SYLLABLES.test(search)
  const words = (isTogether ? [...search] : [search]).map(
    (word) => sql`(quote_literal(trim(name_words(${word}))) || ':*')::tsquery`,
  )
  return sql`person.id in (
    with found as materialized (
      select id, display_name from people where person_beginnings(display_name, email) @@ (${sql.join(words, sql` && `)})
    )
    select id from found where ${isTogether ? sql`display_name like ${`%${search}%`}` : sql`true`})`
}

function partOf(search: string): string {
  return `%${search.replace(/[\\%_]/g, '\\$&')}%`
}

/** The members of a course as CSV, which can be pasted as a list again. Index course_members_pkey. */
export async function membersCsv(db: Database, courseId: number): Promise<string> {
  const columns = ['name', 'email', 'role', 'questions', 'answers'] as const
  const { rows } = await sql<Record<(typeof columns)[number], string | number>>`
    select person.display_name as name, coalesce(person.email, '') as email, member.role,
      coalesce(wrote.questions_count, 0) as questions, coalesce(wrote.answers_count, 0) as answers
    from course_members as member join people as person on person.id = member.person_id
    left join course_authors as wrote on wrote.course_id = member.course_id and wrote.person_id = member.person_id
    where member.course_id = ${courseId} order by member.person_id`.execute(db)
  return csvOf([columns, ...rows.map((row) => columns.map((column) => String(row[column])))])
}

const memberSchema = resource('Member', {
  id,
  name: z.string(),
  email: z.string().nullable(),
  role,
  questions_count: count,
  answers_count: count,
  last_seen_at: time.nullable(),
  url,
})

export const memberEndpoint = reading(
  '/courses/:course/members',
  listOf(memberSchema),
  { name: 'listMembers', tag: 'desk', scope: 'staff', query: z.object(paging) },
  async (call) => {
    const { request, query } = call
    const course = await courseFor(request, 'see-members')
    const filter = { show: 'everybody', search: null } as const
    const asked = pageIn(query.cursor, 'count')
    const page = await listMembers(request.server.db, course.id, filter, asked, query.limit)
    const items = page.rows.map(({ isAdmin: _isAdmin, ...member }) => ({
      ...{ ...snaked(member), name: member.displayName },
      links: { person: `${API}/people/${member.id}`, html: personPath(member) },
    }))
    return { items, next: page.older }
  },
)
