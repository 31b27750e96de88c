import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import type { ReadableCourses } from '../../../kernel/rights/visibility.ts'

/** How long another process may still send what is typed in a course that was switched off. */
const REMEMBERED_MS = 10_000

const remembered = new WeakMap<
  Database,
  { readonly courses: ReturnType<typeof sendingCourses>; readonly until: number }
>()

/**
 * Whether what is typed in these courses may be sent to the endpoint: posts of all of them are.
 * @param mayBePrivate it may become a question: then none of them may allow private ones
 */
export async function mayBeTyped(db: Database, { ids }: ReadableCourses, mayBePrivate: boolean) {
  const courses = (await sendingCourses(db)).filter((one) => !(mayBePrivate && one.allows_private))
  const sending = new Set(courses.map(({ id }) => id))
  return ids.every((id) => sending.has(id))
}

/** After the settings of a course were changed. */
export function forgetSendingCourses(db: Database): void {
  remembered.delete(db)
}

function sendingCourses(db: Database): Promise<readonly { id: number; allows_private: boolean }[]> {
  const known = remembered.get(db)
  if (known !== undefined && known.until > Date.now()) return known.courses
  const courses = sql<{ id: number; allows_private: boolean }>`
    select id, allows_private from courses where is_public or allows_embeddings`
    .execute(db)
    .then(({ rows }) => rows)
  remembered.set(db, { courses, until: Date.now() + REMEMBERED_MS })
  courses.catch(() => remembered.delete(db))
  return courses
}
