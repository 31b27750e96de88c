import { sql } from 'kysely'
import type { Database, Role, Write } from '../../database/schema.ts'
import { lockInstructors, RANK } from '../courses/roles.ts'
import { type Invitation, mailInvited } from './invitation-mail.ts'
import type { BadLine, MemberLine } from './member-lines.ts'

/** What became of lines: of those who are in the course, whose role waits for their address, and who changed nothing. */
export interface Added {
  readonly given: number
  readonly waiting: number
  readonly unchanged: number
  /** Owners of addresses without an account who are told by mail. */
  readonly mailed: number
  readonly bad: readonly BadLine[]
  /** Lines that would give somebody another role than they have, or that waits for them: not done unless that was meant. */
  readonly changes: readonly RoleChangeAsked[]
}

export interface RoleChangeAsked {
  readonly line: MemberLine
  readonly from: Role
  readonly to: Role
}

/** Which changes of roles that people have are meant: all of them, none, or those that add rights. */
export type Meant = 'all' | 'none' | 'raises'

const BATCH = 500

/**
 * Gives roles to the owners of many addresses, BATCH at a time: others are not held up, and what is done stays done.
 * @param invitation tells who has no account yet; null: nobody
 * @param meant the others are not made, but told of in `changes`
 */
export async function addMembers(
  db: Database,
  courseId: number,
  lines: readonly MemberLine[],
  invitation: Invitation | null,
  meant: Meant,
): Promise<Added> {
  const total = { given: 0, waiting: 0, unchanged: 0, mailed: 0, bad: [] as BadLine[] }
  const changes: RoleChangeAsked[] = []
  for (let from = 0; from < lines.length; from += BATCH) {
    const batch = lines.slice(from, from + BATCH)
    const added = await db
      .transaction()
      .execute((write) => addBatch(write, courseId, batch, invitation, meant))
    total.given += added.given
    total.waiting += added.waiting
    total.unchanged += added.unchanged
    total.mailed += added.mailed
    total.bad.push(...added.bad)
    changes.push(...added.changes)
  }
  return { ...total, changes }
}

interface Account {
  readonly email: string
  readonly id: number
  readonly isConfirmed: boolean
  readonly role: Role | null
}

async function addBatch(
  write: Write,
  courseId: number,
  lines: readonly MemberLine[],
  invitation: Invitation | null,
  meant: Meant,
): Promise<Added> {
  const accounts = await lockAccounts(write, courseId, lines)
  const waitingRoles = await rolesThatWait(write, courseId, lines)
  const instructors = new Set(await lockInstructors(write, courseId))
  const given: { id: number; email: string; role: Role }[] = []
  const waiting: { email: string; role: Role }[] = []
  const bad: BadLine[] = []
  const changes: RoleChangeAsked[] = []
  for (const line of lines) {
    const account = accounts.get(line.email)
    const role = line.role ?? waitingRoles.get(line.email) ?? account?.role ?? 'learner'
    const held = account?.role ?? null
    const former = waitingRoles.get(line.email) ?? held
    const isLast = account !== undefined && instructors.has(account.id) && instructors.size === 1
    const isMeant = former === null || meant === 'all' || (meant === 'raises' && RANK[role] >= RANK[former])
    if (former !== null && former !== role && !isMeant && !(isLast && role !== 'instructor')) {
      changes.push({ line, from: former, to: role })
      continue
    }
    const isHeld = account?.role !== undefined && account.role !== null && RANK[role] <= RANK[account.role]
    if (account === undefined || !(account.isConfirmed || isHeld)) {
      waiting.push({ email: line.email, role })
    } else if (instructors.has(account.id) && role !== 'instructor' && instructors.size === 1) {
      bad.push({ number: line.number, text: line.text, reason: { key: 'members.line.lastInstructor' } })
    } else {
      if (role !== 'instructor') instructors.delete(account.id)
      given.push({ id: account.id, email: line.email, role })
    }
  }
  const changed = (await giveRoles(write, courseId, given)) + (await keepWaiting(write, courseId, waiting))
  const strangers = waiting.filter(({ email }) => !accounts.has(email))
  return {
    given: given.length,
    waiting: waiting.length,
    unchanged: given.length + waiting.length - changed,
    mailed: invitation === null ? 0 : await mailInvited(write, invitation, strangers),
    bad,
    changes,
  }
}

/** The accounts of these addresses, locked in the order of their ids as everywhere, with their roles. */
async function lockAccounts(write: Write, courseId: number, lines: readonly MemberLine[]) {
  const emails = lines.map(({ email }) => email)
  const { rows } = await sql<Account>`
    with locked as (
      select id, email, email_confirmed_at is not null as "isConfirmed" from people
      where email = any(${emails}::text[]) order by id for update)
    select locked.*, member.role from locked
    left join course_members as member on member.course_id = ${courseId} and member.person_id = locked.id`.execute(
    write,
  )
  return new Map(rows.map((row) => [row.email, row]))
}

/** The roles that wait for the addresses. */
async function rolesThatWait(write: Write, courseId: number, lines: readonly MemberLine[]) {
  const emails = lines.map(({ email }) => email)
  const { rows } = await sql<{ email: string; role: Role }>`
    select email, role from pending_roles
    where course_id = ${courseId} and email = any(${emails}::text[])`.execute(write)
  return new Map(rows.map(({ email, role }) => [email, role]))
}

/** @returns how many rows it changed */
async function giveRoles(
  write: Write,
  courseId: number,
  given: readonly { readonly id: number; readonly email: string; readonly role: Role }[],
): Promise<number> {
  const [ids, roles] = [given.map(({ id }) => id), given.map(({ role }) => role)]
  const put = await sql`
    insert into course_members as member (course_id, person_id, role)
    select ${courseId}, id, role from unnest(${ids}::bigint[], ${roles}::text[]) as one (id, role) order by id
    on conflict (course_id, person_id) do update set role = excluded.role where member.role <> excluded.role`.execute(
    write,
  )
  await sql`delete from pending_roles where course_id = ${courseId}
    and email = any(${given.map(({ email }) => email)}::text[])`.execute(write)
  return Number(put.numAffectedRows ?? 0)
}

/** @returns how many rows it changed */
async function keepWaiting(
  write: Write,
  courseId: number,
  waiting: readonly { readonly email: string; readonly role: Role }[],
): Promise<number> {
  const [emails, roles] = [waiting.map(({ email }) => email), waiting.map(({ role }) => role)]
  const put = await sql`
    insert into pending_roles as pending (course_id, email, role)
    select ${courseId}, email, role from unnest(${emails}::text[], ${roles}::text[]) as one (email, role) order by email
    on conflict (course_id, email) do update set role = excluded.role where pending.role <> excluded.role`.execute(
    write,
  )
  return Number(put.numAffectedRows ?? 0)
}
