import { sql } from 'kysely'
import type { Row, Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import type { Doing } from '../../kernel/operation.ts'
import { isNamedAsStaff, type Place } from '../../kernel/rights/rights.ts'
import type { PostKind } from '../posts/kinds.ts'
import type { HeldFor } from '../posts/text.ts'
import { notifyOfHeld } from '../telling/held.ts'

/** Which posts of a course wait to be let through, as the constraint courses_hold_known has it. */
export const HOLDS = ['none', 'signals', 'newcomers', 'all'] as const satisfies Row<'courses'>['hold'][]

/** Why a new post waits to be let through; null: it does not. Nobody holds what staff write. */
export async function whyHeld({ write, actor, subject }: Doing<unknown, Place>): Promise<HeldFor | null> {
  const author = personOf(actor)
  const { courseId } = subject
  if (isNamedAsStaff(author, courseId)) return null
  const { hold, isStranger } = await findWriter(write, author.id, courseId)
  if (hold === 'all') return 'all'
  return hold === 'newcomers' && isStranger ? 'newcomers' : null
}

/** Notes in the log that a new post is held, and tells staff. At the end of its transaction. */
export async function noteHeld(
  { write, subject, note }: Doing<unknown, Place, 'post-held'>,
  post: { readonly kind: PostKind; readonly id: number },
  heldFor: HeldFor | null,
): Promise<void> {
  if (heldFor === null) return
  note('post-held', { ...post, heldFor, courseId: subject.courseId, personId: null })
  await notifyOfHeld(write, subject.courseId)
}

/** Posts that somebody has to have in the forum, shown, to be no stranger any more. */
const POSTS_OF_STANDING = 2

/**
 * What decides whether posts of somebody wait in a course. A stranger signed up for themselves, less than a day ago or with fewer than
 * POSTS_OF_STANDING posts, and was given no role in the course.
 */
async function findWriter(write: Write, personId: number, courseId: number) {
  const shown = sql.join(
    ['questions', 'answers', 'replies'].map(
      (
        table,
      ) => sql`(select from ${sql.table(table)} as post where post.author_id = person.id and post.is_shown
        limit ${sql.lit(POSTS_OF_STANDING)})`,
    ),
    sql` union all `,
  )
  const { rows } = await sql<{ hold: Row<'courses'>['hold']; isStranger: boolean }>`
    select course.hold, person.new_until is not null and member.is_given is not true and (person.new_until > now()
      or (select count(*) from (${shown}) as posted) < ${POSTS_OF_STANDING}) as "isStranger"
    from people as person join courses as course on course.id = ${courseId}
    left join course_members as member on member.course_id = course.id and member.person_id = person.id
    where person.id = ${personId}`.execute(write)
  const [writer] = rows
  if (writer === undefined) throw new Error('who writes, or where, is gone')
  return writer
}
