import { type RawBuilder, sql } from 'kysely'
import { endBulk } from '../../database/bulk.ts'
import type { ChangedRows } from '../../database/counted-tables.ts'
import { recount } from '../../database/recount.ts'
import type { Database, Write } from '../../database/schema.ts'
import { noteImport } from '../../forum/events/event.ts'
import { makeDocuments, SEARCH } from '../../forum/search/index-question.ts'
import { lockTagsOf } from '../../forum/tags/tagging.ts'
import { enqueueEach } from '../../jobs/table.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { bringPlaces, openCourse } from './course-places.ts'
import { type ImportRun, inRun } from './import-run.ts'
import { countsOf } from './import-tally.ts'
import type { Importing } from './post-batch.ts'

/** From so many posts on, tables have other statistics than before. */
const MANY_POSTS = 1000
const FILLED = ['people', 'questions', 'answers', 'replies', 'imported_posts', 'import_placings']

/**
 * The last step: what the run brought is shown, placed and counted, all at once. Rows that others may need are locked last. What takes
 * long and locks documents, the index, follows: if this process dies meanwhile, housekeeping does it.
 * @param onIndexed told how many questions were indexed, some at a time
 */
export async function showRun(
  db: Database,
  importing: Importing,
  onIndexed: (count: number) => void = () => {},
): Promise<void> {
  const { run } = importing
  await inRun(db, run, async (write) => {
    await stage(write, run)
    await bringPlaces(write, importing)
    await endDuplicates(write, run)
    await showPosts(write, run)
    await acceptLater(write, run)
    await countAnswers(write)
    await tagQuestions(write, run)
    if (run.copiedFrom === null) await followOwn(write)
    await queueOld(write)
    await recount(write, { fix: true, touched: touchedBy(run) })
    await openCourse(write, importing)
    await endRun(write, run)
    await endBulk(write)
  })
  await indexNew(db, run, onIndexed)
}

/** The run's threads, and its people as those who are there. */
async function stage(write: Write, { id }: ImportRun): Promise<void> {
  await sql`
    create temporary table run_threads on commit drop as
    select question_id, bool_or(is_new) as is_new from (
      select question_id, true as is_new from imported_posts where run_id = ${id} and question_id is not null
      union all
      select answer.question_id, false from imported_posts as post join answers as answer on answer.id = post.answer_id where run_id = ${id}
      union all
      select reply.question_id, false from imported_posts as post join replies as reply on reply.id = post.reply_id where run_id = ${id}
    ) as post group by question_id`.execute(write)
  await sql`create unique index on run_threads (question_id)`.execute(write)
  const { rows } = await sql<{
    posts: number
  }>`select count(*) as posts from imported_posts where run_id = ${id}`.execute(write)
  const many = (rows[0]?.posts ?? 0) >= MANY_POSTS
  await sql`analyze ${sql.join(['run_threads', ...(many ? FILLED : [])].map((table) => sql.table(table)))}`.execute(
    write,
  )
  await sql`
    update people set left_at = null from imported_people as kept
    where kept.run_id = ${id} and kept.person_id = people.id and not kept.is_gone`.execute(write)
}

/** What is shown leads to a question that is no duplicate itself. Those that lead to each other lead nowhere. */
async function endDuplicates(write: Write, run: ImportRun): Promise<void> {
  const { rows } = await sql<{ ended: boolean }>`
    with recursive chain as (
      select q.id, q.duplicate_of as at, 1 as steps from questions as q
      join imported_posts as post on post.question_id = q.id and post.run_id = ${run.id} where q.duplicate_of is not null
      union all
      select chain.id, next.duplicate_of, steps + 1 from chain join questions as next on next.id = chain.at
      where next.duplicate_of is not null and steps < 50),
    ending as (
      select distinct on (chain.id) chain.id, original.id as at, original.duplicate_of is null and original.audience = 'course'
        and original.hidden_at is null and original.deleted_at is null and original.id <> chain.id as is_end
      from chain join questions as original on original.id = chain.at order by chain.id, steps desc)
    update questions set duplicate_of = case when ending.is_end then ending.at end,
      duplicate_by = case when ending.is_end then duplicate_by end
    from ending where questions.id = ending.id and (questions.duplicate_of <> ending.at or not ending.is_end)
    returning ending.is_end as ended`.execute(write)
  run.tally.note(
    'duplicates of each other or of what not all may read: of none here',
    rows.filter(({ ended }) => !ended).length,
  )
}

async function showPosts(write: Write, { id, courseId, source, origin }: ImportRun): Promise<void> {
  const shown = sql`held_at = case when post.stays_held then now() end, held_for = case when post.stays_held then 'source' end`
  const placed = (kind: string) => sql`
    left join imported_things as ${sql.ref(kind)} on ${sql.ref(`${kind}.course_id`)} = ${courseId} and ${sql.ref(`${kind}.source`)} = ${source}
      and ${sql.ref(`${kind}.origin`)} = ${origin} and ${sql.ref(`${kind}.kind`)} = ${kind}
      and ${sql.ref(`${kind}.external_id`)} = ${sql.ref(`place.${kind}`)}`
  await sql`
    update questions set ${shown}, category_id = coalesce(category.category_id, questions.category_id),
      lecture_id = coalesce(lecture.lecture_id, questions.lecture_id)
    from imported_posts as post join import_placings as place on place.question_id = post.question_id
    ${placed('category')} ${placed('lecture')}
    where post.run_id = ${id} and post.question_id = questions.id and questions.held_for = 'import'`.execute(
    write,
  )
  for (const [table, column] of [
    ['answers', 'answer_id'],
    ['replies', 'reply_id'],
  ] as const)
    await sql`
      update ${sql.table(table)} as kept set ${shown} from imported_posts as post
      where post.run_id = ${id} and ${sql.ref(`post.${column}`)} = kept.id and kept.held_for = 'import'`.execute(
      write,
    )
}

/** Acceptances of questions that an earlier run brought: each is unresolved, and was so ever since. */
async function acceptLater(write: Write, run: ImportRun): Promise<void> {
  const { id, courseId, source, origin, tally } = run
  const accepted = sql`
    import_placings as place join imported_posts as post on post.course_id = ${courseId} and post.source = ${source}
      and post.origin = ${origin} and post.kind = 'answer' and post.external_id = place.accepted_answer`
  const { rows: taken } = await sql<{ question_id: number }>`
    update questions set status = 'resolved', accepted_answer_id = answer.id
    from ${accepted} join answers as answer on answer.id = post.answer_id
    where place.run_id = ${id} and questions.id = place.question_id and answer.question_id = questions.id
      and questions.status = 'unresolved' and questions.reopened_at is null and questions.is_shown
      and questions.duplicate_of is null and answer.is_shown
    returning questions.id as question_id`.execute(write)
  const { rows } = await sql<{ otherwise: number }>`
    select count(*) as otherwise from ${accepted} join questions as question on question.id = place.question_id
    where place.run_id = ${id} and post.answer_id is distinct from question.accepted_answer_id`.execute(write)
  const ids = taken.map((row) => row.question_id)
  await sql`insert into run_threads select id, false from unnest(${ids}::bigint[]) as id on conflict do nothing`.execute(
    write,
  )
  tally.note('questions imported before, whose answer was accepted since: taken', ids.length)
  tally.note(
    'questions imported before, whose accepted answer is another one there: not taken, as decided here',
    rows[0]?.otherwise,
  )
}

/** Counters of threads, which the rank in searches depends on; a newer export may have answers to questions of before. */
async function countAnswers(write: Write): Promise<void> {
  await sql`
    update questions set answers_count = answered.count, active_at = greatest(questions.active_at, answered.latest)
    from run_threads as thread, lateral (
      select count(*) as count, max(written_at) as latest from answers where question_id = thread.question_id and is_shown
    ) as answered
    where questions.id = thread.question_id
      and (questions.answers_count, questions.active_at) is distinct from (answered.count, greatest(questions.active_at, answered.latest))`.execute(
    write,
  )
}

/** With the tags that the words mean in the course. */
async function tagQuestions(write: Write, { id, courseId }: ImportRun): Promise<void> {
  await lockTagsOf(write, courseId)
  const named = sql`
    import_placings as place cross join unnest(place.tags) with ordinality as typed (name, position)
    left join tag_aliases as alias on alias.course_id = ${courseId} and alias.name = typed.name`
  await sql`
    insert into tags (name) select distinct typed.name from ${named}
    where place.run_id = ${id} and alias.name is null order by 1
    on conflict (name) do nothing`.execute(write)
  await sql`
    insert into question_tags (question_id, position, tag_id)
    select place.question_id, min(typed.position), coalesce(alias.tag_id, tags.id)
    from ${named} left join tags on tags.name = typed.name
    where place.run_id = ${id} group by place.question_id, 3`.execute(write)
}

/** Who has the account already follows what a newer export says they asked. */
async function followOwn(write: Write): Promise<void> {
  await sql`
    insert into question_follows (question_id, person_id)
    select q.id, q.author_id from run_threads as thread
    join questions as q on q.id = thread.question_id and q.is_shown
    join people as asker on asker.id = q.author_id and ${canSignIn('asker')}
    where thread.is_new order by q.id
    on conflict (question_id, person_id) do nothing`.execute(write)
}

/** What new posts count for: the rest of the forum is as it was, however large it is. */
function touchedBy({ id, courseId }: ImportRun): ChangedRows {
  const questions = sql`select question_id from run_threads`
  const wrote = (table: string, column: string): RawBuilder<unknown> => sql`
    select kept.author_id from imported_posts as post join ${sql.table(table)} as kept on kept.id = ${sql.ref(`post.${column}`)}
    where post.run_id = ${id}`
  return {
    questions,
    answers: sql`select id from answers where question_id in (${questions})`,
    people: sql`${wrote('questions', 'question_id')} union ${wrote('answers', 'answer_id')} union ${wrote('replies', 'reply_id')}`,
    courses: sql`select ${courseId}::bigint`,
    lectures: sql`select lecture_id from questions where id in (${questions}) and lecture_id is not null`,
    tags: sql`select tag_id from question_tags where question_id in (${questions})
      union select tag_id from tag_aliases where course_id = ${courseId}`,
  }
}

/** Documents that are there already are made again by a job. */
async function queueOld(write: Write): Promise<void> {
  const { rows } = await sql<{
    question_id: number
  }>`select question_id from run_threads where not is_new`.execute(write)
  const ids = rows.map((row) => row.question_id)
  await enqueueEach(write, SEARCH, ids, 2)
}

/** Questions that nobody else changes meanwhile. */
const INDEXED_AT_ONCE = 20

async function indexNew(db: Database, { id }: ImportRun, onIndexed: (count: number) => void): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select question_id as id from imported_posts where run_id = ${id} and question_id is not null order by 1`.execute(
    db,
  )
  for (let from = 0; from < rows.length; from += INDEXED_AT_ONCE) {
    const ids = rows.slice(from, from + INDEXED_AT_ONCE).map((row) => row.id)
    await makeDocuments(db, ids, { waits: true })
    onIndexed(ids.length)
  }
}

async function endRun(write: Write, run: ImportRun): Promise<void> {
  await sql`delete from import_placings where run_id = ${run.id}`.execute(write)
  await sql`
    update import_runs set state = 'shown', ended_at = now(), reader = null, reader_until = null,
      counts = ${JSON.stringify(countsOf(run.tally))}::jsonb
    where id = ${run.id}`.execute(write)
  const { rows } = await sql`select from run_threads limit 1`.execute(write)
  if (rows.length > 0) await noteImport(write, run.courseId)
}
