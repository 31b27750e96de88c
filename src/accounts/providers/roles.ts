import type { Database, Role, Write } from '../../database/schema.ts'

/** The course role that a value of a provider's claim gives. */
export interface GivenRole {
  readonly id: number
  readonly value: string
  readonly title: string
  readonly role: Role
}

/** By value, then course. */
export async function listRoles(db: Database, providerId: number): Promise<GivenRole[]> {
  return db
    .selectFrom('provider_roles as given')
    .innerJoin('courses as course', 'course.id', 'given.course_id')
    .select(['given.id', 'given.value', 'course.title', 'given.role'])
    .where('given.provider_id', '=', providerId)
    .orderBy('given.value')
    .orderBy('course.title')
    .limit(500)
    .execute()
}

/** Courses to choose from. */
export async function listCourses(
  db: Database,
): Promise<{ readonly value: string; readonly text: string }[]> {
  return db
    .selectFrom('courses')
    .select(['slug as value', 'title as text'])
    .orderBy('title')
    .orderBy('id')
    .limit(1000)
    .execute()
}

/** @returns false when there is no such course */
export async function insertRole(
  write: Write,
  given: { readonly providerId: number; readonly value: string; readonly slug: string; readonly role: Role },
): Promise<boolean> {
  const { providerId: provider_id, value, slug, role } = given
  const course = await write.selectFrom('courses').select('id').where('slug', '=', slug).executeTakeFirst()
  if (course === undefined) return false
  await write
    .insertInto('provider_roles')
    .values({ provider_id, value, course_id: course.id, role })
    .onConflict((conflict) => conflict.columns(['provider_id', 'value', 'course_id']).doUpdateSet({ role }))
    .execute()
  return true
}

export async function deleteRole(write: Write, providerId: number, id: number): Promise<void> {
  await write
    .deleteFrom('provider_roles')
    .where('provider_id', '=', providerId)
    .where('id', '=', id)
    .execute()
}
