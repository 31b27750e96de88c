import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { type Actor, mayMeet } from '../../kernel/rights/rights.ts'
import { readableTo, shownTo, visibleTo } from '../../kernel/rights/visibility.ts'

export function hasWritten(viewer: Actor | null) {
  const among = sql`join questions as q on q.id = post.question_id join courses as course on course.id = q.course_id
    where post.author_id = person.id and ${shownTo(viewer, 'post')} and not post.is_anonymous
      and ${readableTo(viewer)}`
  return sql<boolean>`(
    exists (select from questions as q join courses as course on course.id = q.course_id
      where q.author_id = person.id and ${shownTo(viewer, 'q')} and not q.is_anonymous
        and ${readableTo(viewer)})
    or exists (select from answers as post ${among})
    or exists (select from replies as post ${among}))`
}

/** A person as far as the viewer may know that they are here: by their courses or what they wrote; null: they may not. */
export async function findMet(
  db: Database | Write,
  viewer: Actor | null,
  id: number,
): Promise<{ readonly displayName: string } | null> {
  const { rows } = await sql<{ displayName: string; isMet: boolean }>`
    select person.display_name as "displayName", ${hasWritten(viewer)} or exists (
      select from course_members as member join courses as course on course.id = member.course_id
      where member.person_id = person.id and ${visibleTo(viewer)}) as "isMet"
    from people as person where person.id = ${id} and person.left_at is null`.execute(db)
  const [person] = rows
  return person !== undefined && mayMeet(viewer, { id, isMet: person.isMet }) ? person : null
}
