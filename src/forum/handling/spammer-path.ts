import type { Role } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { pathWith } from '../../web/paths.ts'
import { mayHandle } from './handlers.ts'

/**
 * The page that says what marking somebody as a spammer does; null: the viewer may not do that there.
 * @param course null: everywhere
 * @param back where one comes back to; null: to their profile
 */
export function spammerPath(
  viewer: Actor | null,
  person: { readonly id: number; readonly role: Role | null; readonly isAdmin: boolean },
  course: { readonly id: number; readonly slug: string } | null,
  back: string | null,
): string | null {
  const handled = { person_id: person.id, author_role: person.role, author_is_admin: person.isAdmin }
  const place = { course_id: course?.id ?? null, is_for_admins: course === null }
  if (!mayHandle(viewer, { ...handled, ...place })) return null
  return pathWith(`/people/${person.id}/spammer`, { course: course?.slug ?? null, back })
}
