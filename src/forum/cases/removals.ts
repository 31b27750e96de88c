import { sql } from 'kysely'
import type { ReportReason, Write } from '../../database/schema.ts'
import { isPastRestoring, isRemoval } from '../handling/in-force.ts'
import { decide } from './decide.ts'
import { actOnPerson } from './decided-case.ts'
import { lockQuestions } from './locks.ts'
import { deletePost } from './post-acts.ts'
import { postsOf } from './posts-of-person.ts'
import { liftMeasure, type SuspensionPlace } from './suspend.ts'

/**
 * Deletes all posts of an account as one act, with a decided case of its own, and decides the open cases about these posts.
 * @returns how many posts
 */
export async function removePosts(
  write: Write,
  actorId: number,
  {
    personId,
    courseId,
    ...said
  }: SuspensionPlace & { readonly reason: ReportReason; readonly rule: string; readonly note: string },
): Promise<number> {
  const posts = await postsOf(write, { personId, courseId }, sql`post.deleted_at is null`)
  if (posts.length === 0) return 0
  const questionIds = posts.map(({ questionId }) => questionId)
  await lockQuestions(write, questionIds)
  const act = { personId, courseId, ...said, kind: 'delete', endsAt: null } as const
  await actOnPerson(write, actorId, act)
  await closeCasesOf(write, actorId, { personId, courseId })
  for (const post of posts) await deletePost(write, post, actorId)
  return posts.length
}

/**
 * Restores what the latest such act deleted, unless it is too long ago.
 * @returns 'none': there is none. 'late': REMOVAL_DAYS have passed
 */
export async function undoRemoval(
  write: Write,
  actorId: number,
  { personId, courseId }: SuspensionPlace,
): Promise<'done' | 'none' | 'late'> {
  const { rows } = await sql<{ id: number; isLate: boolean }>`
    select measure.id, ${isPastRestoring} as "isLate" from measures as measure join cases as matter on matter.id = measure.case_id
    where measure.person_id = ${personId} and ${isRemoval} and measure.course_id is not distinct from ${courseId}
    order by measure.starts_at desc limit 1`.execute(write)
  const [removal] = rows
  if (removal === undefined) return 'none'
  if (removal.isLate) return 'late'
  return (await liftMeasure(write, actorId, removal.id, '')) ? 'done' : 'none'
}

/** Reports about posts that are gone wait for nobody, but for what was passed on to the admins, which a course's staff don't decide. */
async function closeCasesOf(write: Write, actorId: number, place: SuspensionPlace): Promise<void> {
  const open = await write
    .selectFrom('cases')
    .select(['id', 'version'])
    .where('person_id', '=', place.personId)
    .where('state', '=', 'open')
    .where('about', '<>', 'person')
    .$if(place.courseId !== null, (query) =>
      query.where('course_id', '=', place.courseId).where('is_for_admins', '=', false),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const texts = { rule: '', note: '', reporterNote: '', staffNote: '' }
  for (const { id, version } of open)
    await decide(write, actorId, id, { version, isUpheld: true, measures: [], ...texts })
}
