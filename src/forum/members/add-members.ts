import { sql } from 'kysely'
import type { Role, Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import type { Doing } from '../../kernel/operation.ts'
import type { Message } from '../../messages/catalogue.ts'
import type { CourseSubject } from '../courses/find-course.ts'
import { lockInstructors, RANK } from '../courses/roles.ts'
import { type Invitation, mailInvited } from './invitation-mail.ts'
import type { BadLine, MemberLine } from './member-lines.ts'

/**
 * What became of lines. `given`, `waiting`: of those who are in the course, and whose role waits for their address; `roles`: how many of
 * these have which since then. `mailed`: owners of addresses without an account who are told by mail.
 */
export type Added = Awaited<ReturnType<typeof addMembers>>

/**
 * Gives roles to the owners of many addresses.
 * @param invitation tells who has no account yet; null: nobody
 * @param meant roles that add rights, and those that take some away: unless they are meant they are not given, but told of in `raises`
 * and `changes`
 */
export async function addMembers(
  write: Write,
  courseId: number,
  lines: readonly MemberLine[],
  invitation: Invitation | null,
  meant: { readonly raises: boolean; readonly lowers: boolean },
) {
  const emails = lines.map(({ email }) => email)
  const accounts = await lockAccounts(write, courseId, emails)
  const waitingRoles = await rolesThatWait(write, courseId, emails)
  const instructors = new Set(await lockInstructors(write, courseId))
  const given: { id: number; email: string; role: Role; isNew: boolean }[] = []
  const waiting: { email: string; role: Role; name: string | null; isNew: boolean }[] = []
  const bad: BadLine[] = []
  const changes: { line: MemberLine; from: Role; to: Role }[] = []
  const raises: (MemberLine & { role: Role })[] = []
  for (const line of lines) {
    const account = accounts.get(line.email)
    const waits = waitingRoles.get(line.email)
    const former = waits?.role ?? account?.role ?? null
    const role = line.role ?? former ?? 'learner'
    const isLast = account !== undefined && instructors.has(account.id) && instructors.size === 1
    const change = RANK[role] - RANK[former ?? 'learner']
    if (change > 0 && !meant.raises) {
      raises.push({ ...line, role })
      continue
    }
    if (former !== null && change < 0 && !meant.lowers && !(isLast && role !== 'instructor')) {
      changes.push({ line, from: former, to: role })
      continue
    }
    const isHeld = account?.role !== undefined && account.role !== null && RANK[role] <= RANK[account.role]
    if (account === undefined || !(account.isConfirmed || isHeld)) {
      const name = line.name ?? waits?.name ?? null
      waiting.push({ email: line.email, role, name, isNew: role !== waits?.role })
    } else if (instructors.has(account.id) && role !== 'instructor' && instructors.size === 1) {
      bad.push({ ...line, reason: { key: 'members.line.lastInstructor' } })
    } else {
      if (role !== 'instructor') instructors.delete(account.id)
      given.push({ id: account.id, email: line.email, role, isNew: role !== account.role })
    }
  }
  await giveRoles(write, courseId, given)
  await keepWaiting(write, courseId, waiting)
  const strangers = waiting.filter(({ email }) => !accounts.has(email))
  return {
    given: given.length,
    waiting: waiting.length,
    roles: { given: countRoles(given), waiting: countRoles(waiting) },
    unchanged: [...given, ...waiting].filter(({ isNew }) => !isNew).length,
    mailed: invitation === null ? 0 : await mailInvited(write, invitation, strangers),
    bad,
    changes,
    raises,
  }
}

/** The same for an operation: who has no account is invited if that was wished, and the log says how many were added. */
export async function addNoted(
  { write, actor, subject, input, baseUrl, note }: Doing<{ mail: boolean }, CourseSubject, 'members-added'>,
  lines: readonly MemberLine[],
  meant: Parameters<typeof addMembers>[4],
) {
  const invitation = input.mail ? { course: subject, baseUrl, sender: personOf(actor) } : null
  const added = await addMembers(write, subject.id, lines, invitation, meant)
  const { given, waiting, mailed, bad } = added
  note('members-added', { courseId: subject.id, given, waiting, mailed, bad: bad.length })
  return added
}

export function countsOf({ roles }: Added): readonly [Message, ...Message[]] {
  const said = (['given', 'waiting'] as const).flatMap((kind): Message[] => {
    const { learner, assistant, instructor } = roles[kind]
    const others = learner + assistant
    const count = others + instructor
    if (count === 0) return []
    return [{ key: `members.report.${kind}`, values: { count, learner, assistant, others, instructor } }]
  })
  const [first = { key: 'members.report.nobody' }, ...more] = said
  return [first, ...more]
}

/** A line that nobody wrote, as of a form about one person. */
export function lineOf({ email, role }: { readonly email: string; readonly role: Role }): MemberLine {
  return { number: 1, text: email, head: null, email, role, name: null }
}

function countRoles(people: readonly { readonly role: Role; readonly isNew: boolean }[]) {
  const count = (role: Role) => people.filter((one) => one.isNew && one.role === role).length
  return { learner: count('learner'), assistant: count('assistant'), instructor: count('instructor') }
}

/** The accounts of these addresses, locked in the order of their ids as everywhere, with their roles. */
export async function lockAccounts(write: Write, courseId: number, emails: readonly string[]) {
  const { rows } = await sql<{ email: string; id: number; isConfirmed: boolean; role: Role | null }>`
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
    on conflict (course_id, person_id) do update set role = excluded.role, is_given = true
    where member.role <> excluded.role or not member.is_given`.execute(write)
  const emails = given.flatMap(({ email }) => email ?? [])
  await dropWaitingRoles(write, courseId, emails)
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
export async function dropWaitingRoles(write: Write, courseId: number, emails: readonly string[]) {
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
export async function lockRoles(write: Write, courseId: number, ids: readonly number[]) {
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
