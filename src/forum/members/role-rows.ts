import { sql } from 'kysely'
import type { Role, Write } from '../../database/schema.ts'

/** Roles of many people at a time, each function one or two statements. */

interface Account {
  readonly email: string
  readonly id: number
  readonly isConfirmed: boolean
  readonly role: Role | null
}

/** The accounts of these addresses, locked in the order of their ids as everywhere, with their roles. */
export async function lockAccounts(write: Write, courseId: number, emails: readonly string[]) {
  const { rows } = await sql<Account>`
    with locked as (
      select id, email, email_confirmed_at is not null as "isConfirmed" from people
      where email = any(${emails}::text[]) order by id for no key update)
    select locked.*, member.role from locked
    left join course_members as member on member.course_id = ${courseId} and member.person_id = locked.id`.execute(
    write,
  )
  return new Map(rows.map((row) => [row.email, row]))
}

/** What waits for the addresses, locked. */
export async function rolesThatWait(write: Write, courseId: number, emails: readonly string[]) {
  const { rows } = await sql<{ email: string; role: Role; name: string | null }>`
    select email, role, name from pending_roles
    where course_id = ${courseId} and email = any(${emails}::text[]) order by email for update`.execute(write)
  return new Map(rows.map((row) => [row.email, row]))
}

/** Roles that count at once. Those that waited for the addresses are gone. */
export async function giveRoles(
  write: Write,
  courseId: number,
  given: readonly { readonly id: number; readonly email: string | null; readonly role: Role }[],
): Promise<void> {
  const [ids, roles] = [given.map(({ id }) => id), given.map(({ role }) => role)]
  await sql`
    insert into course_members as member (course_id, person_id, role)
    select ${courseId}, id, role from unnest(${ids}::bigint[], ${roles}::text[]) as one (id, role) order by id
    on conflict (course_id, person_id) do update set role = excluded.role where member.role <> excluded.role`.execute(
    write,
  )
  await dropWaitingRoles(
    write,
    courseId,
    given.flatMap(({ email }) => email ?? []),
  )
}

/** Roles that wait for their addresses. A name that is known stays where none is given. */
export async function keepWaiting(
  write: Write,
  courseId: number,
  waiting: readonly { readonly email: string; readonly role: Role; readonly name?: string | null }[],
): Promise<void> {
  const [emails, roles] = [waiting.map(({ email }) => email), waiting.map(({ role }) => role)]
  const names = waiting.map(({ name = null }) => name)
  await sql`
    insert into pending_roles as pending (course_id, email, role, name)
    select ${courseId}, email, role, name
    from unnest(${emails}::text[], ${roles}::text[], ${names}::text[]) as one (email, role, name) order by email
    on conflict (course_id, email) do update set role = excluded.role, name = coalesce(excluded.name, pending.name)
    where pending.role <> excluded.role or pending.name is distinct from coalesce(excluded.name, pending.name)`.execute(
    write,
  )
}

/** Roles wait for these addresses no more. @returns for how many they did */
export async function dropWaitingRoles(
  write: Write,
  courseId: number,
  emails: readonly string[],
): Promise<number> {
  const dropped = await sql`
    delete from pending_roles where course_id = ${courseId} and email = any(${emails}::text[])`.execute(write)
  return Number(dropped.numAffectedRows ?? 0)
}

/** Roles that a list named for these addresses are asked about no more. */
export async function dropAsked(write: Write, courseId: number, emails: readonly string[]): Promise<void> {
  await sql`
    delete from asked_roles where course_id = ${courseId} and email = any(${emails}::text[])`.execute(write)
}

/** The roles that people have in a course, locked, by person; who is no member is not in it. */
export async function lockRoles(
  write: Write,
  courseId: number,
  ids: readonly number[],
): Promise<Map<number, Role>> {
  const { rows } = await sql<{ id: number; role: Role }>`
    select person_id as id, role from course_members
    where course_id = ${courseId} and person_id = any(${ids}::bigint[]) order by person_id for update`.execute(
    write,
  )
  return new Map(rows.map(({ id, role }) => [id, role]))
}

/** @returns who was in the course, with their roles */
export async function removeMembers(write: Write, courseId: number, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; role: Role }>`
    delete from course_members where course_id = ${courseId} and person_id = any(${ids}::bigint[])
    returning person_id as id, role`.execute(write)
  return rows
}
