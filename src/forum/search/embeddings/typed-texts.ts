import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import type { ReadableCourses } from '../../../kernel/rights/visibility.ts'

/** How long another process may still send what is typed in a course that was switched off. */
const REMEMBERED_MS = 10_000

interface Sending {
  readonly id: number
  readonly allowsPrivate: boolean
}

const remembered = new WeakMap<Database, { readonly courses: Promise<readonly Sending[]>; until: number }>()

/**
 * Whether what is typed in these courses may be sent to the endpoint: posts of all of them are.
 * @param mayBePrivate it may become a question: then none of them may allow private ones
 */
export async function mayBeTyped(
  db: Database,
  { ids }: ReadableCourses,
  mayBePrivate: boolean,
): Promise<boolean> {
  const sending = new Map((await sendingCourses(db)).map((one) => [one.id, one]))
  return ids.every((id) => {
    const course = sending.get(id)
    return course !== undefined && !(mayBePrivate && course.allowsPrivate)
  })
}

/** After the settings of a course were changed. */
export function forgetSendingCourses(db: Database): void {
  remembered.delete(db)
}

function sendingCourses(db: Database): Promise<readonly Sending[]> {
  const known = remembered.get(db)
  if (known !== undefined && known.until > Date.now()) return known.courses
  const courses = sql<Sending>`
    select id, allows_private as "allowsPrivate" from courses where is_public or allows_embeddings`
    .execute(db)
    .then(({ rows }) => rows)
  remembered.set(db, { courses, until: Date.now() + REMEMBERED_MS })
  courses.catch(() => remembered.delete(db))
  return courses
}
