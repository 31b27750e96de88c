import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOf } from '../../database/keyset.ts'
import type { Database, Role } from '../../database/schema.ts'
import { isSuspension } from '../../forum/handling/in-force.ts'
import { named } from '../../forum/members/queries.ts'
import { canSignIn } from '../../rights/can-sign-in.ts'
import { isConfirmed, PER_PAGE } from './lists.ts'

/** The tabs of the list of all accounts. */
export const PEOPLE_SHOWN = ['everyone', 'staff', 'admins', 'suspended', 'unconfirmed'] as const
export type PeopleShown = (typeof PEOPLE_SHOWN)[number]

export interface PeopleFilter {
  readonly show: PeopleShown
  /** Words of a name, a part of an address, or a number. */
  readonly search: string | null
}

/** An account in the list. */
export interface ListedPerson {
  readonly id: number
  readonly displayName: string
  readonly email: string | null
  readonly isAdmin: boolean
  readonly isConfirmed: boolean
  readonly canSignIn: boolean
  readonly lastSeenAt: Date | null
  /** In how many courses they have each role. */
  readonly roles: Readonly<Partial<Record<Role, number>>>
  readonly isSuspendedEverywhere: boolean
  /** In how many courses they are suspended. */
  readonly suspendedIn: number
}

/** A condition on a column of people's ids: they come after a page, or before it. */
type Beyond = (column: RawBuilder<unknown>) => RawBuilder<unknown>

/** What a tab reads: accounts of alias `person`, from a page on, and the column that has them in their order. */
interface Tab {
  readonly id: RawBuilder<unknown>
  from(beyond: Beyond): RawBuilder<unknown>
}

/** A tab of accounts that fit a condition. */
const people = (condition: RawBuilder<unknown>): Tab => ({
  id: sql`person.id`,
  from: (beyond) => sql`people as person where ${condition} and ${beyond(sql`person.id`)}`,
})

/** A tab of those whom another table names. Each is looked up: joined in another way, all accounts would be read for a few old ones. */
const listedIn = (table: RawBuilder<unknown>, condition: RawBuilder<unknown>): Tab => ({
  id: sql`tab.id`,
  from: (
    beyond,
  ) => sql`(select distinct person_id as id from ${table} where ${condition} and ${beyond(sql`person_id`)}) as tab
    cross join lateral (select * from people where people.id = tab.id offset 0) as person where true`,
})

/** Uses indexes people_pkey, course_members_of_staff, people_admins, measures_suspended and people_to_confirm. */
const TABS: Readonly<Record<PeopleShown, Tab>> = {
  everyone: people(sql`true`),
  staff: listedIn(sql`course_members`, sql`role <> 'learner'`),
  admins: people(sql`person.is_admin`),
  suspended: listedIn(sql`measures as measure`, isSuspension),
  unconfirmed: people(sql`person.email is not null and person.email_confirmed_at is null`),
}

/** Lists the accounts of a tab, the newest first. With a search also indexes people_name_parts, people_email_parts and people_beginnings. */
export async function listPeople(
  db: Database,
  { show, search }: PeopleFilter,
  request: PageRequest,
): Promise<Page<ListedPerson>> {
  const isBackwards = request.before !== null && request.after === null
  const cursor = request.after ?? request.before
  const direction = sql.raw(isBackwards ? 'asc' : 'desc')
  const tab = TABS[show]
  const beyond: Beyond = (column) =>
    cursor === null ? sql`true` : sql`${column} ${sql.raw(isBackwards ? '>' : '<')} ${cursor.id}::bigint`
  const { rows } = await sql<ListedPerson>`
    select person.id, person.display_name as "displayName", person.email, person.is_admin as "isAdmin",
      ${canSignIn()} as "canSignIn", ${isConfirmed} as "isConfirmed",
      (select max(last_seen_at) from sessions where sessions.person_id = person.id) as "lastSeenAt",
      (select coalesce(jsonb_object_agg(role, number), '{}') from (
        select role, count(*) as number from course_members where person_id = person.id group by role) as counted) as roles,
      exists (select from measures as measure where measure.person_id = person.id and measure.is_everywhere and ${isSuspension})
        as "isSuspendedEverywhere",
      (select count(distinct measure.course_id) from measures as measure where measure.person_id = person.id and ${isSuspension})::integer
        as "suspendedIn"
    from ${tab.from(beyond)} and person.left_at is null and ${isFound(search)}
    order by ${tab.id} ${direction} limit ${PER_PAGE + 1}`.execute(db)
  return pageOf(rows, PER_PAGE, request)
}

/** Those whose name or address fits; a number may also be the account's. */
function isFound(search: string | null): RawBuilder<unknown> {
  if (search === null || !/^\d{1,15}$/.test(search)) return named(search)
  return sql`person.id in (select person.id from people as person where ${named(search)} union all select ${search}::bigint)`
}

/** More are not counted one by one. */
export const MAX_COUNTED = 1000

/** How many accounts each tab has, all of them: MAX_COUNTED + 1 at most, which stands for more. */
export async function countPeople(db: Database): Promise<Readonly<Record<PeopleShown, number>>> {
  const counted = PEOPLE_SHOWN.map((show) => {
    const { id, from } = TABS[show]
    return sql`(select count(*) from (select from ${from(() => sql`true`)} and person.left_at is null
      order by ${id} limit ${sql.lit(MAX_COUNTED + 1)}) as counted)::integer as ${sql.ref(show)}`
  })
  const { rows } = await sql<Record<PeopleShown, number>>`select ${sql.join(counted)}`.execute(db)
  return rows[0] ?? { everyone: 0, staff: 0, admins: 0, suspended: 0, unconfirmed: 0 }
}
