import { type RawBuilder, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { type Page, type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database, Role, Write } from '../../database/schema.ts'
import { personByline } from '../../forum/authors/byline.ts'
import { isSuspension } from '../../forum/handling/in-force.ts'
import { spammerPath } from '../../forum/handling/spammer-path.ts'
import { named } from '../../forum/members/queries.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { listPage, tabsAt } from '../../web/list.ts'
import { queryParam } from '../../web/params.ts'
import { adminPage } from './nav.ts'

export const PEOPLE_SHOWN = ['everyone', 'staff', 'admins', 'suspended', 'unconfirmed', 'unclaimed'] as const
type PeopleShown = (typeof PEOPLE_SHOWN)[number]

interface ListedPerson {
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
type Beyond = (column: string) => RawBuilder<unknown>

/** What a tab reads: accounts of alias `person`, from a page on, and the column that has them in their order. */
interface Tab {
  readonly id: string
  from(beyond: Beyond): RawBuilder<unknown>
}

/** A tab of accounts that fit a condition. */
const people = (condition: RawBuilder<unknown>): Tab => ({
  id: 'person.id',
  from: (beyond) => sql`people as person where ${condition} and ${beyond('person.id')}`,
})

/** A tab of those whom another table names. Each is looked up: joined in another way, all accounts would be read for a few old ones. */
const listedIn = (table: RawBuilder<unknown>, condition: RawBuilder<unknown>): Tab => ({
  id: 'tab.id',
  from: (
    beyond,
  ) => sql`(select distinct person_id as id from ${table} where ${condition} and ${beyond('person_id')}) as tab
    cross join lateral (select * from people where people.id = tab.id offset 0) as person where true`,
})

/**
 * Names that came with an import are nobody's account: they have a tab of their own. Uses indexes people_accounts,
 * course_members_of_staff, people_admins, measures_suspended, people_to_confirm and people_unclaimed.
 */
const TABS: Readonly<Record<PeopleShown, Tab>> = {
  everyone: people(sql`not person.is_unclaimed`),
  staff: listedIn(sql`course_members`, sql`role <> 'learner'`),
  admins: people(sql`person.is_admin`),
  suspended: listedIn(sql`measures as measure`, isSuspension),
  unconfirmed: people(sql`person.email is not null and person.email_confirmed_at is null`),
  unclaimed: people(sql`person.is_unclaimed`),
}

/**
 * Lists the accounts of a tab, the newest first. With a search also indexes people_name_parts, people_email_parts and people_beginnings.
 * @param search words of a name, a part of an address, or a number
 */
export async function listPeople(
  db: Database,
  { show, search }: { readonly show: PeopleShown; readonly search: string | null },
  request: PageRequest,
): Promise<Page<ListedPerson>> {
  const tab = TABS[show]
  const along = (column: string) => pageAlong(null, column, 'count', request)
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
    from ${tab.from((column) => along(column).beyond)} and person.left_at is null and ${isFound(search)}
    order by ${along(tab.id).order} limit ${PER_PAGE + 1}`.execute(db)
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
      order by ${sql.ref(id)} limit ${sql.lit(MAX_COUNTED + 1)}) as counted)::integer as ${sql.ref(show)}`
  })
  const { rows } = await sql<Record<PeopleShown, number>>`select ${sql.join(counted)}`.execute(db)
  return rows[0] ?? { everyone: 0, staff: 0, admins: 0, suspended: 0, unconfirmed: 0, unclaimed: 0 }
}

const PER_PAGE = 50
/** Teachers named of one course. */
const MAX_NAMED = 5

/** All courses, the newest first, with who teaches them. There are far fewer than people: a search reads all of them. */
export async function listAllCourses(db: Database, search: string | null, request: PageRequest) {
  const { beyond, order } = pageAlong(null, 'course.id', 'count', request)
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
    .where(beyond)
    .orderBy(order)
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

const PATH = '/admin/people'
/** In the order in which they are named. */
const ROLES: readonly Role[] = ['instructor', 'assistant', 'learner']

export const showPeople = adminPage('admin/people', PATH, async (context) => {
  const { t, db } = context
  const search = queryParam(context, 'q')
  const tabText = (name: PeopleShown) => t(`admin.people.show.${name}`)
  const { chosen: show, ...list } = tabsAt(context, PATH, 'show', PEOPLE_SHOWN, tabText, { q: search })
  const [listed, counts] = await Promise.all([
    listPage(context, list.path, 'count', (asked) => listPeople(db, { show, search }, asked)),
    countPeople(db),
  ])
  const timeZone = await context.timeZone()
  return {
    title: list.titled(t('admin.people.title')),
    ...{ show, search: search ?? '' },
    tabs: list.tabs.map((tab) => ({ ...tab, n: countText(t, counts[tab.name]) })),
    people: listed.rows.map((person) =>
      personRow(t, person, { timeZone, viewer: context.person(), here: list.path }),
    ),
    ...listed.links,
  }
})

const countText = (t: Translate, count: number) =>
  count > MAX_COUNTED ? t('admin.people.more', { count: MAX_COUNTED }) : t('questions.row.number', { count })

function personRow(
  t: Translate,
  person: ListedPerson,
  { timeZone, viewer, here }: { readonly timeZone: string; readonly viewer: Actor; readonly here: string },
) {
  const { id, displayName, email, isAdmin, isConfirmed, lastSeenAt } = person
  const roles = ROLES.flatMap((role) => {
    const count = person.roles[role] ?? 0
    return count === 0 ? [] : [t(`admin.people.in.${role}`, { count })]
  })
  return {
    byline: personByline({ id, displayName, role: null }),
    ...{ email, isConfirmed, isAdmin },
    roles: roles.length === 0 ? t('admin.people.in.none') : roles.join(', '),
    state: stateOf(t, person),
    lastSeen: lastSeenAt === null ? null : writtenDate(lastSeenAt, timeZone, t),
    path: `${PATH}/${id}`,
    spammerPath: spammerPath(viewer, { id, isAdmin, role: null }, null, here),
    linkPath: person.canSignIn ? `${PATH}/${id}/link` : null,
  }
}

function stateOf(t: Translate, { isSuspendedEverywhere, suspendedIn }: ListedPerson): string {
  if (isSuspendedEverywhere) return t('measures.suspend.everywhere')
  return suspendedIn === 0 ? '' : t('admin.people.suspendedIn', { count: suspendedIn })
}
