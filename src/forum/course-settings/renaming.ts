import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { MAX_SWEPT_ROWS, term } from '../../database/terms.ts'
import { idsOf, type Kind } from '../../jobs/kind.ts'
import { enqueue, enqueueEach, isQueued } from '../../jobs/table.ts'
import { TAGS } from '../../text/tag-name.ts'
import { SEARCH } from '../search/index-question.ts'
import { renameTagIn } from '../search/write-documents.ts'
import { lockTagCounts } from '../tags/tagging.ts'

export interface TagChange {
  readonly id: number
  readonly courseId: number
  readonly from: { readonly id: number; readonly name: string }
  readonly to: { readonly id: number; readonly name: string }
  /** Questions get back what they had. */
  readonly isUndone: boolean
}

/** Questions a step, each in a transaction of its own: those who write in them wait no longer than for one. */
const STEP = 1000
const RENAMING = 'tags'

/**
 * Moves questions of a course from one tag to another, or back, in the transaction of the change, which has locked both tags' counts.
 * So it waits for no question: one that somebody is changing right now, and those of later steps, are left to a job.
 */
export async function moveQuestions(write: Write, change: TagChange): Promise<void> {
  // The descriptions and the aliases.
  await invalidateCourse(write, change.courseId)
  if (change.from.id === change.to.id) return
  const { rows } = await sql<{ id: number }>`
    select id from questions where id = any(array(${placesOf(change)} limit ${STEP}))
    order by id for no key update skip locked`.execute(write)
  await step(
    write,
    change,
    rows.map(({ id }) => id),
  )
  const { rows: left } = await sql`${placesOf(change)} limit 1`.execute(write)
  if (left.length > 0) await enqueue(write, RENAMING, change.id)
}

/** Does what is left of changes. */
export function renaming(db: Database): Kind {
  return {
    name: RENAMING,
    concurrency: 1,
    batch: 1,
    timeout: 30_000,
    async run(jobs) {
      for (const id of idsOf(jobs)) await db.transaction().execute((write) => moveMore(write, id))
    },
  }
}

/** Moves some, and leaves what may be left to another job. */
async function moveMore(write: Write, id: number): Promise<void> {
  const change = await lockedChange(write, id)
  if (change === null) return
  const { rows } = await sql<{ id: number }>`
    select id from questions where id = any(array(${placesOf(change)} limit ${STEP}))
    order by id for no key update`.execute(write)
  await step(
    write,
    change,
    rows.map((row) => row.id),
  )
  if (rows.length === STEP) await enqueue(write, RENAMING, id)
}

/** A change that is not made or undone meanwhile by someone else; null: its hour is over. */
async function lockedChange(write: Write, id: number): Promise<TagChange | null> {
  const { rows } = await sql<TagChange>`
    select change.id, change.course_id as "courseId", change.undone_at is not null as "isUndone",
      jsonb_build_object('id', former.id, 'name', former.name) as "from", jsonb_build_object('id', now.id, 'name', now.name) as "to"
    from tag_changes as change join tags as former on former.id = change.from_id join tags as now on now.id = change.to_id
    where change.id = ${id} for no key update of change`.execute(write)
  return rows[0] ?? null
}

/** The questions that are not yet as a change has them. Uses indexes question_tags_course and tag_moves_pkey. */
function placesOf({ id, courseId, from, isUndone }: TagChange) {
  return isUndone
    ? sql<{ id: number }>`select question_id as id from tag_moves where change_id = ${id}`
    : sql<{
        id: number
      }>`select question_id as id from question_tags where tag_id = ${from.id} and course_id = ${courseId}`
}

/** @param ids of questions that are locked */
async function step(write: Write, change: TagChange, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const { courseId, from, to, isUndone } = change
  await lockTagCounts(write, courseId, sql`select unnest(${[from.id, to.id]}::bigint[]) as tag_id`)
  if (isUndone) await giveBack(write, change, ids)
  else await move(write, change, ids)
  const [before, after] = isUndone ? [to.name, from.name] : [from.name, to.name]
  await renameTagIn(write, ids, before, after)
  await enqueueEach(write, SEARCH, ids, 1)
  await invalidateCourse(write, courseId)
}

/** Once for all that a step changes: an update of question_tags announces nothing by itself. */
async function invalidateCourse(write: Write, courseId: number): Promise<void> {
  const message = sql`json_build_object('course', ${courseId}::bigint, 'scopes', array['*'])`
  await sql`select invalidate(${message})`.execute(write)
}

async function move(write: Write, { id, from, to }: TagChange, ids: readonly number[]): Promise<void> {
  await sql`
    insert into tag_moves (change_id, question_id, position, other)
    select ${id}, gone.question_id, gone.position, stays.position from question_tags as gone
    left join question_tags as stays on stays.question_id = gone.question_id and stays.tag_id = ${to.id}
    where gone.tag_id = ${from.id} and gone.question_id = any(${ids}::bigint[])`.execute(write)
  const moved = sql`tag_moves as moved
    where moved.change_id = ${id} and moved.question_id = tagged.question_id and moved.question_id = any(${ids}::bigint[])`
  await sql`
    delete from question_tags as tagged using ${moved} and tagged.tag_id = ${from.id} and moved.other is not null`.execute(
    write,
  )
  await sql`
    update question_tags as tagged set position = least(moved.position, moved.other)
    from ${moved} and tagged.tag_id = ${to.id} and moved.position < moved.other`.execute(write)
  await sql`
    update question_tags as tagged set tag_id = ${to.id}
    from ${moved} and tagged.tag_id = ${from.id}`.execute(write)
}

/** Of questions that have the tag still, in this course. */
async function giveBack(write: Write, change: TagChange, ids: readonly number[]): Promise<void> {
  const { id, courseId, from, to } = change
  const given = sql`tag_moves as moved
    where moved.change_id = ${id} and moved.question_id = tagged.question_id and moved.question_id = any(${ids}::bigint[])
      and tagged.tag_id = ${to.id} and tagged.course_id = ${courseId}
      and not exists (select from question_tags as own where own.question_id = moved.question_id and own.tag_id = ${from.id})`
  await sql`
    update question_tags as tagged set tag_id = ${from.id} from ${given} and moved.other is null`.execute(
    write,
  )
  const { rows } = await sql<{ id: number; position: number }>`
    update question_tags as tagged set position = moved.other from ${given} and moved.other is not null
      and (select count(*) from question_tags as own where own.question_id = moved.question_id) < ${TAGS.most}
    returning tagged.question_id as id, moved.position`.execute(write)
  await sql`
    insert into question_tags (question_id, tag_id, position)
    select id, ${from.id}, position from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.position)}::integer[]) as given (id, position)`.execute(
    write,
  )
  await sql`delete from tag_moves where change_id = ${id} and question_id = any(${ids}::bigint[])`.execute(
    write,
  )
}

/** Forgets changes whose hour is over, and the words that no course uses any more. @returns how many changes */
export async function sweepTagChanges(db: Database): Promise<number> {
  const { rows } = await sql<{ from_id: number; to_id: number }>`
    delete from tag_changes where id = any(array(
      select id from tag_changes where changed_at < now() - ${term('tagChanges')} and not ${isQueued(RENAMING, sql`tag_changes.id::text`)}
      limit ${MAX_SWEPT_ROWS} for update skip locked))
    returning from_id, to_id`.execute(db)
  await sql`
    delete from tags where id = any(${rows.flatMap(({ from_id, to_id }) => [from_id, to_id])}::bigint[])
      and not exists (select from question_tags where tag_id = tags.id)
      and not exists (select from tag_changes where tags.id in (from_id, to_id))`.execute(db)
  return rows.length
}
