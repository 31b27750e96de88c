import type { Role, Write } from '../../database/schema.ts'
import { apart, owner, table } from '../../database/table.ts'

/** They go with the role that they are of. */
export const claimedRoles = table(
  'claimed_roles',
  { person_id: apart(owner) },
  {
    key: ['course_id', 'person_id'],
    own: { parents: { course_id: 'courses', provider_id: 'identity_providers' }, ends: true },
  },
)

/** Roles by what they may do, the least first. */
const ORDER: readonly Role[] = ['learner', 'assistant', 'instructor']
const rankOf = (role: Role | null) => (role === null ? -1 : ORDER.indexOf(role))

/** A role that a sign-in changed; null: they are no member any more. */
export interface RoleChange {
  readonly courseId: number
  readonly role: Role | null
  readonly former: Role | null
}

/**
 * Gives a person the roles that values of a provider's claim stand for, and takes back those that it gave and that no value stands for
 * any more. A role that was set by hand stays, as does a higher one; a trigger forgets a claimed role that is changed by hand.
 * The person is locked.
 * @param values of the claim; empty: all that this provider gave is taken back
 */
export async function applyClaims(
  write: Write,
  providerId: number,
  personId: number,
  values: readonly string[],
): Promise<RoleChange[]> {
  const wanted = await rolesFor(write, providerId, values)
  const claimed = await claimedBy(write, providerId, personId)
  const changes: RoleChange[] = []
  for (const { courseId, role, former } of claimed) {
    const next = wanted.get(courseId) ?? null
    if (next === role) wanted.delete(courseId)
    if (next === role) continue
    // As if the claim had never been: what it stands for now is given below.
    await setRole(write, courseId, personId, former)
    if (next === null || rankOf(former) >= rankOf(next))
      changes.push({ courseId, role: former, former: role })
  }
  for (const [courseId, role] of wanted) {
    const former = await roleIn(write, courseId, personId)
    if (rankOf(former) >= rankOf(role)) continue
    await setRole(write, courseId, personId, role)
    await write
      .insertInto('claimed_roles')
      .values({
        course_id: courseId,
        person_id: personId,
        provider_id: providerId,
        role,
        former_role: former,
      })
      .execute()
    changes.push({ courseId, role, former })
  }
  return changes
}

export async function takeBackClaims(write: Write, providerId: number): Promise<void> {
  const rows = await write
    .selectFrom('claimed_roles')
    .select(['course_id', 'person_id', 'former_role'])
    .where('provider_id', '=', providerId)
    .orderBy('person_id')
    .execute()
  for (const row of rows) await setRole(write, row.course_id, row.person_id, row.former_role)
}

/** The highest role in each course that some of the values stand for, by the order of courses. */
async function rolesFor(
  write: Write,
  providerId: number,
  values: readonly string[],
): Promise<Map<number, Role>> {
  const roles = new Map<number, Role>()
  if (values.length === 0) return roles
  const rows = await write
    .selectFrom('provider_roles')
    .select(['course_id as courseId', 'role'])
    .where('provider_id', '=', providerId)
    .where('value', 'in', values)
    .orderBy('course_id')
    .execute()
  for (const { courseId, role } of rows)
    if (rankOf(role) > rankOf(roles.get(courseId) ?? null)) roles.set(courseId, role)
  return roles
}

/** `former`: the role set by hand before; null: not a member. */
function claimedBy(write: Write, providerId: number, personId: number) {
  return write
    .selectFrom('claimed_roles')
    .select(['course_id as courseId', 'role', 'former_role as former'])
    .where('person_id', '=', personId)
    .where('provider_id', '=', providerId)
    .orderBy('course_id')
    .forUpdate()
    .execute()
}

async function roleIn(write: Write, courseId: number, personId: number): Promise<Role | null> {
  const row = await write
    .selectFrom('course_members')
    .select('role')
    .where('course_id', '=', courseId)
    .where('person_id', '=', personId)
    .forUpdate()
    .executeTakeFirst()
  return row?.role ?? null
}

/** @param role null: they leave the course */
async function setRole(write: Write, courseId: number, personId: number, role: Role | null): Promise<void> {
  if (role === null) {
    await write
      .deleteFrom('course_members')
      .where('course_id', '=', courseId)
      .where('person_id', '=', personId)
      .execute()
    return
  }
  await write
    .insertInto('course_members')
    .values({ course_id: courseId, person_id: personId, role })
    .onConflict((conflict) =>
      conflict.columns(['course_id', 'person_id']).doUpdateSet({ role, is_given: true }),
    )
    .execute()
}
