import { type RawBuilder, sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { countTry } from '../../database/tries.ts'
import type { Kind } from '../../jobs/kind.ts'
import { personOf } from '../../kernel/actor.ts'
import { auditEntryOf, recordAudit } from '../../kernel/audit/note.ts'
import type { Doing } from '../../kernel/operation.ts'
import { Problem } from '../../kernel/problem.ts'
import { isNamedAsStaff, type Place } from '../../kernel/rights/rights.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { blockedFor } from '../blocklists/blocklist.ts'
import { notifyOfHeld } from '../telling/held.ts'
import {
  KINDS,
  ofEveryKind,
  POST_TABLES,
  type PostKey,
  type PostKind,
  type PostTable,
  withQuestion,
} from './kinds.ts'
import { holdPost, releasePost } from './removal.ts'
import { hostsIn, type LookedAt, signalIn } from './signals.ts'
import type { HeldFor } from './text.ts'

/** Which posts of a course wait to be let through, as the constraint courses_hold_known has it. */
export const HOLDS = ['none', 'signals', 'newcomers', 'all'] as const satisfies Row<'courses'>['hold'][]

/** A place with what its course holds. */
export type Holding = Place & { readonly hold: Row<'courses'>['hold']; readonly hasBlocklist: boolean }

/**
 * Why a new post waits to be let through; null: it does not. Nobody holds what staff write.
 * @throws Problem 'firstDay' when a stranger posted as much as they may on the first day
 */
export async function whyHeld(
  doing: Doing<unknown, Holding>,
  post: LookedAt & { readonly table: PostTable },
): Promise<HeldFor | null> {
  const { write, actor, subject, careful } = doing
  const author = personOf(actor)
  const { courseId, hold, hasBlocklist } = subject
  if (isNamedAsStaff(author, courseId)) return null
  // Nothing depends on who writes.
  if (careful === null && hold !== 'newcomers' && !(hold === 'signals' && hasBlocklist))
    return hold === 'all' ? 'all' : null
  const writer = await findWriter(write, author.id, courseId)
  if (careful !== null && writer.isStranger && writer.isFirstDay)
    await countFirstDay(write, author.id, post.table)
  if (hold === 'all') return 'all'
  if (hold === 'newcomers' && writer.isStranger) return 'newcomers'
  if (hold === 'signals' && careful !== null && writer.isStranger && (writer.isDoubted || careful.isTrapped))
    return 'hidden-field'
  return whyNoticed(doing, writer, post)
}

/** What is noticed of a stranger's post, where the course holds such posts: it is on a blocklist, or the forum looks at it with care. */
async function whyNoticed(
  { write, actor, subject: { courseId, hold }, careful, isDoubted, baseUrl }: Doing<unknown, Holding>,
  { isStranger, isPublic, isConfirmed, email }: Awaited<ReturnType<typeof findWriter>>,
  post: LookedAt,
): Promise<HeldFor | null> {
  if (hold === 'none' || !isStranger) return null
  const place = { courseId, isCareful: careful !== null, email }
  const blocked = await blockedFor(write, place, { ...post, hosts: hostsIn(post.html, baseUrl) })
  if (blocked !== null || careful === null) return blocked
  const noticed = await signalIn(write, { courseId, authorId: personOf(actor).id, baseUrl }, post)
  if (noticed === null && isDoubted) return 'service'
  return noticed ?? (isPublic && careful.sendsMail && !isConfirmed ? 'unconfirmed' : null)
}

/** Looks at a post again that its author edited: what is noticed now holds it, and is why it is held. */
export async function lookAgain(
  doing: Doing<unknown, Holding, 'post-held'>,
  { table, id, ...post }: PostKey & LookedAt,
): Promise<void> {
  const { write, actor, subject, careful } = doing
  const author = personOf(actor)
  if (subject.hold === 'none' || (careful === null && !subject.hasBlocklist)) return
  if (isNamedAsStaff(author, subject.courseId)) return
  const writer = await findWriter(write, author.id, subject.courseId)
  const heldFor = await whyNoticed(doing, writer, { ...post, except: { table, id } })
  if (heldFor === null || heldFor === 'unconfirmed') return
  if (await holdPost(write, { table, id }, heldFor))
    await noteHeld(doing, { kind: KINDS[table].kind, id }, heldFor)
  else
    await write
      .updateTable(table)
      .set({ held_for: heldFor })
      .where('id', '=', id)
      .where('held_for', '=', 'unconfirmed')
      .execute()
}

/** Notes in the log that a post is held, and tells staff. At the end of its transaction. */
export async function noteHeld(
  { write, subject, note }: Doing<unknown, Place, 'post-held'>,
  post: { readonly kind: PostKind; readonly id: number },
  heldFor: HeldFor | null,
): Promise<void> {
  if (heldFor === null) return
  note('post-held', { ...post, heldFor, courseId: subject.courseId, personId: null })
  await notifyOfHeld(write, subject.courseId)
}

const DAY = 24 * 60 * 60_000

/** Counts one post of a stranger's first day. @throws Problem 'firstDay' */
async function countFirstDay(write: Write, personId: number, table: PostTable): Promise<void> {
  const { firstDayQuestions, firstDayPosts } = await findSiteSettings(write)
  const [name, max] = table === 'questions' ? ['questions', firstDayQuestions] : ['posts', firstDayPosts]
  const { count, ttl } = await countTry(write, `first day of ${personId}: ${name}`, DAY)
  if (count > max) throw new Problem('firstDay', Math.max(1, Math.ceil(ttl / 1000)))
}

/** Posts that somebody has to have in the forum, shown, to be no stranger any more. */
const POSTS_OF_STANDING = 2

/** Whether the person of alias `person` has so many shown posts in the forum. */
export const hasShown = (count: number) =>
  sql<boolean>`(select count(*) from (${sql.join(
    POST_TABLES.map(
      (
        table,
      ) => sql`(select from ${sql.table(table)} as post where post.author_id = person.id and post.is_shown
      limit ${sql.lit(count)})`,
    ),
    sql` union all `,
  )}) as posted) >= ${sql.lit(count)}`

/**
 * Whether the person of alias `person` is a stranger in a course: they signed up for themselves, less than a day ago or with fewer than
 * POSTS_OF_STANDING posts, and were given no role there.
 */
export const isStrangerIn = (courseId: RawBuilder<unknown>) => sql<boolean>`(person.new_until is not null
  and (person.new_until > now() or not ${hasShown(POSTS_OF_STANDING)})
  and not exists (select from course_members as given
    where given.course_id = ${courseId} and given.person_id = person.id and given.is_given))`

/** What decides whether posts of somebody wait in a course. */
async function findWriter(write: Write, personId: number, courseId: number) {
  const { rows } = await sql<{
    isPublic: boolean
    isStranger: boolean
    isFirstDay: boolean
    isConfirmed: boolean
    isDoubted: boolean
    email: string | null
  }>`
    select course.is_public as "isPublic", person.is_doubted as "isDoubted", coalesce(person.new_until > now(), false) as "isFirstDay",
      person.email is null or person.email_confirmed_at is not null as "isConfirmed", person.email,
      ${isStrangerIn(sql`course.id`)} as "isStranger"
    from people as person join courses as course on course.id = ${courseId} where person.id = ${personId}`.execute(
    write,
  )
  const [writer] = rows
  if (writer === undefined) throw new Error('who writes, or where, is gone')
  return writer
}

/** The jobs that let through what waited only for its author to confirm their address, whose id is the key: people_release_unconfirmed adds them. */
export function releaseKind(db: Database): Kind {
  return {
    name: 'release',
    concurrency: 1,
    batch: 1,
    timeout: 60_000,
    async run([job]) {
      const { rows } = await sql<PostKey & { authorId: number }>`
        select * from (${ofEveryKind(
          (table) => sql`
          select ${sql.lit(table)} as table, post.id, post.author_id as "authorId", post.held_at from ${withQuestion(table)}
          where post.author_id = ${Number(job?.key)} and post.held_for = 'unconfirmed' and post.deleted_at is null`,
        )}) as held order by held_at, id`.execute(db)
      for (const { table, id, authorId } of rows)
        await db.transaction().execute(async (write) => {
          if (!(await releasePost(write, { table, id }, null))) return
          const released = { kind: KINDS[table].kind, id, authorId, personId: null }
          const entry = auditEntryOf('post-released', released)
          if (entry !== null) await recordAudit(write, [entry], 'forum')
        })
    },
  }
}
