import { sql } from 'kysely'
import type { Database, Role, Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import { course } from '../courses/find-course.ts'
import { addNoted, dropAsked, lineOf } from './add-members.ts'
import { mail, selectedRoles } from './form.ts'
import type { MemberLine } from './member-lines.ts'

/** A role above learner that a list names: the person it is about may have written it, so an instructor says whether it is meant. */
interface AskedRole {
  readonly email: string
  readonly role: Role
  readonly name: string | null
  /** What they have in the course; null: nothing. */
  readonly former: Role | null
}

/** Shown at a time; the others follow when these are answered. */
const MAX_SHOWN = 200

const answering = { right: 'change-members', find: course } as const

/** Gives roles that a list named, to those who are selected. The others stay as they are. */
export const askedRolesGiving = operation({
  ...answering,
  name: 'give-asked-roles',
  input: { person: selectedRoles, mail },
  events: ['members-added'],
  async run(doing) {
    const { id: courseId, slug } = doing.subject
    const { asked, emails } = await askedAmong(doing.write, courseId, doing.input.person)
    const lines = asked.map(({ name, ...line }) => ({ ...lineOf(line), name }))
    const added = await addNoted(doing, lines, { raises: true, lowers: false })
    await dropAsked(doing.write, courseId, emails)
    return { slug, added }
  },
})

/** Forgets roles that a list named, of those who are selected. Nobody gets one. */
export const askedRolesDismissal = operation({
  ...answering,
  name: 'dismiss-asked-roles',
  input: { person: selectedRoles },
  async run({ write, subject: { id: courseId, slug }, input: { person } }) {
    const { emails } = await askedAmong(write, courseId, person)
    await dropAsked(write, courseId, emails)
    return { slug }
  },
})

/** Those of these roles that still wait for an answer. @throws Refused where none does */
async function askedAmong(
  write: Write,
  courseId: number,
  selected: readonly { readonly email: string; readonly role: Role }[],
) {
  if (selected.length === 0) throw refusal('person', 'members.selection.none')
  const [addresses, roles] = [selected.map(({ email }) => email), selected.map(({ role }) => role)]
  const { rows: asked } = await sql<Omit<AskedRole, 'former'>>`
    select email, role, name from asked_roles
    where course_id = ${courseId} and (email, role) in (select * from unnest(${addresses}::text[], ${roles}::text[]))
    order by email`.execute(write)
  if (asked.length === 0) throw refusal('person', 'members.roles.late')
  return { asked, emails: asked.map(({ email }) => email) }
}

/** Keeps the roles that a list names until somebody answers. What it names otherwise, it asks no more. */
export async function keepAsked(
  write: Write,
  courseId: number,
  lines: readonly MemberLine[],
  raises: readonly { readonly email: string; readonly role: Role; readonly name: string | null }[],
): Promise<void> {
  const asked = new Set(raises.map(({ email }) => email))
  const settled = lines.flatMap(({ email, role }) => (role === null || asked.has(email) ? [] : [email]))
  await dropAsked(write, courseId, settled)
  await sql`
    insert into asked_roles as asked (course_id, email, role, name)
    select ${courseId}, email, role, name from unnest(
      ${raises.map(({ email }) => email)}::text[], ${raises.map(({ role }) => role)}::text[],
      ${raises.map(({ name }) => name)}::text[]) as one (email, role, name) order by email
    on conflict (course_id, email) do update
    set role = excluded.role, name = coalesce(excluded.name, asked.name), asked_at = excluded.asked_at`.execute(
    write,
  )
}

/** The roles that lists named and nobody gave or has, the oldest first, and how many there are. Index asked_roles_pkey. */
export async function listAsked(db: Database, courseId: number) {
  const { rows } = await sql<AskedRole & { readonly count: number }>`
    select asked.email, asked.role, asked.name, coalesce(waiting.role, member.role) as former, count(*) over () as count
    from asked_roles as asked
    left join pending_roles as waiting on waiting.course_id = asked.course_id and waiting.email = asked.email
    left join people as person on person.email = asked.email
    left join course_members as member on member.course_id = asked.course_id and member.person_id = person.id
    where asked.course_id = ${courseId}
      and coalesce(waiting.role, member.role, 'learner') not in ('instructor', asked.role)
    order by asked.asked_at, asked.email limit ${MAX_SHOWN}`.execute(db)
  return { count: rows[0]?.count ?? 0, roles: rows }
}
