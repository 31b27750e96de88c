import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'

/**
 * Swaps an entry with the one shown before or after it. The shown entries are numbered anew from 1, as positions may repeat; two moves
 * at once run one after the other.
 * @returns false: it is not shown
 */
export async function moveEntry(
  write: Write,
  courseId: number,
  id: number,
  direction: 'up' | 'down',
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('faq'), ${courseId}::integer)`.execute(write)
  const { rows } = await sql<{ id: number }>`
    select id from faq_entries where course_id = ${courseId} and state = 'shown'
    order by position, id for update`.execute(write)
  const at = rows.findIndex((one) => one.id === id)
  const entry = rows[at]
  if (entry === undefined) return false
  const to = Math.min(Math.max(at + (direction === 'up' ? -1 : 1), 0), rows.length - 1)
  const ids = rows
    .toSpliced(at, 1)
    .toSpliced(to, 0, entry)
    .map((one) => one.id)
  await sql`update faq_entries set position = place.position
    from unnest(${ids}::bigint[], ${ids.map((_, index) => index + 1)}::integer[]) as place (id, position)
    where faq_entries.id = place.id and faq_entries.position <> place.position`.execute(write)
  return true
}
