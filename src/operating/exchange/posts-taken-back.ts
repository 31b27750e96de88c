import { type RawBuilder, sql } from 'kysely'
import { beginBulk } from '../../database/bulk.ts'
import { recount } from '../../database/recount.ts'
import type { Write } from '../../database/schema.ts'
import { type BelowTable, KINDS, type PostTable } from '../../forum/posts/kinds.ts'
import { deletePost } from '../../forum/posts/removal.ts'
import { deleteDrafts, deleteDraftsBelow, releaseDuplicates } from '../../forum/purging/delete-posts.ts'
import { lockTagsOf } from '../../forum/tags/tagging.ts'
import { staying } from './what-stays.ts'

/** A run as it is taken back. */
export interface Taking {
  readonly id: number
  readonly courseId: number
  /** What people here have added goes as well. */
  readonly takesAnswers: boolean
}

/** Threads that go in a transaction, and posts in them: a statement of it ends in time, and who writes in one of them waits no longer. */
const THREADS_AT_ONCE = 200
const THREAD_POSTS_AT_ONCE = 1000
/** The same of answers and replies in threads of others, each of which is deleted as if by hand. */
const POSTS_AT_ONCE = 50

/**
 * Takes some of a run's questions back, each with all below it. Those that stay are the course's own from then on.
 * @returns how many were looked at; 0: none is left
 */
export async function takeThreads(write: Write, taking: Taking): Promise<number> {
  const ids = await someThreads(write, taking)
  if (ids.length === 0) return 0
  await beginBulk(write)
  await lockTagsOf(write, taking.courseId)
  await sql`select id from questions where id = any(${ids}::bigint[]) order by id for update`.execute(write)
  const [staying, going] = await divided(write, taking, 'questions', ids)
  await keep(write, taking, sql`questions.id = any(${staying}::bigint[])`)
  await deleteThreads(write, taking, going)
  return ids.length
}

/** The same of what it brought into threads of others. */
export async function takeFromThreads(write: Write, taking: Taking, table: BelowTable): Promise<number> {
  const ids = await some(write, taking, table, POSTS_AT_ONCE)
  if (ids.length === 0) return 0
  await sql`
    select id from questions where id in (select question_id from ${sql.table(table)} where id = any(${ids}::bigint[]))
    order by id for update`.execute(write)
  const [staying, going] = await divided(write, taking, table, ids)
  const isThere = (kept: readonly number[]) =>
    table === 'answers'
      ? sql`(answers.id = any(${kept}::bigint[]) or replies.answer_id = any(${kept}::bigint[]))`
      : sql`replies.id = any(${kept}::bigint[])`
  await keep(write, taking, isThere(staying))
  await forgetClosed(write, taking, isThere(going))
  for (const id of going) {
    await deletePost(write, { table, id })
    await deleteDrafts(write, { table, id })
  }
  await sql`delete from ${sql.table(table)} where id = any(${going}::bigint[])`.execute(write)
  return ids.length
}

async function someThreads(write: Write, { id }: Taking): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from (
      select id, row_number() over (order by id) as place, sum(1 + (select count(*) from answers where question_id = thread.id)
        + (select count(*) from replies where question_id = thread.id)) over (order by id) as posts
      from (
        select question_id as id from imported_posts where run_id = ${id} and question_id is not null
        order by 1 limit ${THREADS_AT_ONCE}) as thread) as counted
    where place = 1 or posts <= ${THREAD_POSTS_AT_ONCE}`.execute(write)
  return rows.map((row) => row.id)
}

async function some(write: Write, { id }: Taking, table: BelowTable, most: number): Promise<number[]> {
  const column = sql.ref(`${KINDS[table].kind}_id`)
  const { rows } = await sql<{ id: number }>`
    select ${column} as id from imported_posts where run_id = ${id} and ${column} is not null order by 1 limit ${most}`.execute(
    write,
  )
  return rows.map((row) => row.id)
}

/** What stays and what goes. The threads are locked: nobody adds to them any more. */
async function divided(write: Write, { id, takesAnswers }: Taking, table: PostTable, ids: readonly number[]) {
  const kept = new Set(takesAnswers ? [] : await staying(write, id, table, ids))
  return [ids.filter((one) => kept.has(one)), ids.filter((one) => !kept.has(one))] as const
}

/** A run's rows with their posts, as far as these are there. */
const ROWS = sql`imported_posts as brought
  left join answers on answers.id = brought.answer_id
  left join replies on replies.id = brought.reply_id
  left join questions on questions.id = coalesce(brought.question_id, answers.question_id, replies.question_id)`

async function keep(write: Write, { id }: Taking, condition: RawBuilder<unknown>): Promise<void> {
  await sql`
    update imported_posts set run_id = null
    where ctid = any(array(select brought.ctid from ${ROWS} where brought.run_id = ${id} and ${condition}))`.execute(
    write,
  )
}

/** Of what not all readers of the course could read, nobody is told later that it was taken back. */
async function forgetClosed(write: Write, { id }: Taking, condition: RawBuilder<unknown>): Promise<void> {
  await sql`
    delete from imported_posts where ctid = any(array(select brought.ctid from ${ROWS} where brought.run_id = ${id} and ${condition}
      and not (questions.is_listed and answers.is_shown is not false and replies.is_shown is not false)))`.execute(
    write,
  )
}

/** Counted at once: a trigger would count each post by itself. */
async function deleteThreads(write: Write, taking: Taking, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const among = sql`any(${ids}::bigint[])`
  const counted = await countedWith(write, among)
  await forgetClosed(write, taking, sql`questions.id = ${among}`)
  await deleteDraftsBelow(write, ids)
  await releaseDuplicates(write, ids)
  await sql`delete from questions where id = ${among}`.execute(write)
  const listed = (of: readonly number[]) => sql`select unnest(${of}::bigint[])`
  await recount(write, {
    fix: true,
    touched: {
      questions: listed(counted.released),
      answers: listed([]),
      people: listed(counted.people),
      courses: listed(counted.courses),
      lectures: listed(counted.lectures),
      tags: listed(counted.tags),
    },
  })
  await deleteUnusedTags(write, counted)
  for (const course of counted.courses)
    await sql`select invalidate(json_build_object('course', ${course}::bigint, 'scopes', array['*']))`.execute(
      write,
    )
}

type Counted = Readonly<Record<'released' | 'people' | 'courses' | 'lectures' | 'tags', number[]>>

/** What questions, and what is below them, count for. */
async function countedWith(write: Write, among: RawBuilder<unknown>): Promise<Counted> {
  const { rows } = await sql<Counted>`
    select array(select id from questions where duplicate_of = ${among} and not id = ${among}) as released,
      array(select author_id from questions where id = ${among} union select author_id from answers where question_id = ${among}) as people,
      array(select distinct course_id from questions where id = ${among}) as courses,
      array(select distinct lecture_id from questions where id = ${among} and lecture_id is not null) as lectures,
      array(select distinct tag_id from question_tags where question_id = ${among}) as tags`.execute(write)
  return rows[0] ?? { released: [], people: [], courses: [], lectures: [], tags: [] }
}

/** Of which no question is left, and that nobody described, follows or renamed. */
export async function deleteUnusedTags(
  write: Write,
  { tags, courses }: Pick<Counted, 'tags' | 'courses'>,
): Promise<void> {
  await sql`
    delete from course_tags as kept where tag_id = any(${tags}::bigint[]) and course_id = any(${courses}::bigint[]) and description = ''
      and not exists (select from question_tags as own where own.tag_id = kept.tag_id and own.course_id = kept.course_id)
      and not exists (select from tag_aliases as alias where alias.tag_id = kept.tag_id and alias.course_id = kept.course_id)`.execute(
    write,
  )
  await sql`
    delete from tags where id = any(${tags}::bigint[])
      and not exists (select from course_tags where tag_id = tags.id) and not exists (select from question_tags where tag_id = tags.id)
      and not exists (select from tag_follows where tag_id = tags.id)
      and not exists (select from tag_changes where tags.id in (from_id, to_id))`.execute(write)
}
