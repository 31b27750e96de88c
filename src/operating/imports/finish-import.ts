import { sql } from 'kysely'
import type { ChangedRows } from '../../database/counted-tables.ts'
import { recount } from '../../database/recount.ts'
import type { Write } from '../../database/schema.ts'
import { indexNewQuestions, indexQuestions } from '../../forum/search/index-question.ts'
import { lockTagsOf } from '../../forum/tags/tagging.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { type CourseImport, SOURCE } from './course-import.ts'
import { stageThreads } from './staging.ts'

/** From so many posts on, tables have other statistics than before. */
const MANY_POSTS = 1000

const STAGED_TABLES = ['dump_threads', 'dump_authors', 'dump_question_tags', 'dump_accepted']
const FILLED_TABLES = ['people', 'questions', 'answers', 'replies', 'imported_posts']
const TAG_TABLES = ['tags', 'question_tags', 'course_tags']

/**
 * Sets what depends on all posts: acceptances, times of activity, tags, counters, search documents. New questions,
 * which nobody can see yet, come first; rows that other transactions may need are locked last.
 */
export async function finishImport(course: CourseImport): Promise<void> {
  await analyze(course, STAGED_TABLES)
  if (isLarge(course)) await analyze(course, FILLED_TABLES)
  await acceptAnswers(course)
  await countAnswers(course)
  await moveActivity(course)
  await tagQuestions(course)
  if (isLarge(course)) await analyze(course, TAG_TABLES)
  await followOwn(course)
  await indexNewThreads(course)
  await recount(course.write, { fix: true, touched: touchedBy(course) })
  await indexOldThreads(course)
}

function isLarge({ tally: { counts } }: CourseImport): boolean {
  return counts.questions.imported + counts.answers.imported + counts.replies.imported >= MANY_POSTS
}

/** Without fresh statistics the planner assumes that tables are as empty as before, and joins row by row: minutes instead of seconds. */
async function analyze({ write }: CourseImport, tables: readonly string[]): Promise<void> {
  await sql`analyze ${sql.join(tables.map((table) => sql.table(table)))}`.execute(write)
}

/** What new posts and acceptances count for: the rest of the forum is as it was, however large it is. */
function touchedBy({ courseId }: CourseImport): ChangedRows {
  const questions = sql`select question_id from dump_threads`
  return {
    questions,
    answers: sql`select id from answers where question_id in (${questions})`,
    people: sql`select person_id from dump_authors`,
    courses: sql`select ${courseId}::bigint`,
    lectures: sql`select lecture_id from questions where id in (${questions}) and lecture_id is not null`,
    tags: sql`select tags.id from tags join dump_question_tags as staged using (name)
      union select tag_id from tag_aliases where course_id = ${courseId}`,
  }
}

/** Counters of new questions, which their rank in searches depends on. */
async function countAnswers({ write }: CourseImport): Promise<void> {
  await sql`
    update questions set answers_count = answered.count
    from dump_threads as thread, lateral (
      select count(*) as count from answers where question_id = thread.question_id and is_shown
    ) as answered
    where questions.id = thread.question_id and thread.is_new`.execute(write)
}

/** A newer dump may hold answers to questions that were imported before. */
async function moveActivity({ write }: CourseImport): Promise<void> {
  await sql`
    update questions set active_at = answered.latest
    from dump_threads as thread, lateral (
      select max(written_at) as latest from answers where question_id = thread.question_id and is_shown
    ) as answered
    where questions.id = thread.question_id and questions.active_at < answered.latest`.execute(write)
}

/** Who has the account already follows what a newer dump says they asked; the others do as they get it: people_follow_imported. */
async function followOwn({ write }: CourseImport): Promise<void> {
  await sql`
    insert into question_follows (question_id, person_id)
    select q.id, q.author_id from dump_threads as thread
    join questions as q on q.id = thread.question_id and q.is_shown
    join people as asker on asker.id = q.author_id and ${canSignIn('asker')}
    where thread.is_new order by q.id
    on conflict (question_id, person_id) do nothing`.execute(write)
}

/** With the tags that the words of the dump mean in the course. */
async function tagQuestions({ write, courseId }: CourseImport): Promise<void> {
  await lockTagsOf(write, courseId)
  const alias = sql`tag_aliases as alias on alias.course_id = ${courseId} and alias.name = staged.name`
  await sql`
    insert into tags (name) select distinct staged.name from dump_question_tags as staged
    left join ${alias} where alias.name is null order by 1
    on conflict (name) do nothing`.execute(write)
  await sql`
    insert into question_tags (question_id, position, tag_id)
    select staged.question_id, min(staged.position), coalesce(alias.tag_id, tags.id)
    from dump_question_tags as staged left join ${alias} left join tags on tags.name = staged.name
    group by staged.question_id, 3`.execute(write)
}

/**
 * Accepts the answers that the dump says. Of a question that an earlier import brought, where nobody decided otherwise here: it
 * is unresolved, and was so ever since.
 */
async function acceptAnswers({ write, tally, courseId, origin }: CourseImport): Promise<void> {
  const { rows: taken } = await sql<{ question_id: number; is_new: boolean }>`
    update questions set status = 'resolved', accepted_answer_id = answer.id
    from dump_accepted as accepted
    join imported_posts as post
      on post.course_id = ${courseId} and post.source = ${SOURCE} and post.origin = ${origin} and post.kind = 'answer'
        and post.external_id = accepted.answer_source_id::text
    join answers as answer on answer.id = post.answer_id
    where questions.id = accepted.question_id and answer.question_id = questions.id
      and (accepted.is_new or (questions.status = 'unresolved' and questions.reopened_at is null
        and questions.is_shown and questions.duplicate_of is null and answer.is_shown))
    returning questions.id as question_id, accepted.is_new`.execute(write)
  const { rows } = await sql<{ missing: number; otherwise: number }>`
    select count(*) filter (where accepted.is_new and question.accepted_answer_id is null) as missing,
      count(*) filter (where not accepted.is_new and post.answer_id is distinct from question.accepted_answer_id) as otherwise
    from dump_accepted as accepted join questions as question on question.id = accepted.question_id
    left join imported_posts as post
      on post.course_id = ${courseId} and post.source = ${SOURCE} and post.origin = ${origin} and post.kind = 'answer'
        and post.external_id = accepted.answer_source_id::text`.execute(write)
  const before = taken.filter(({ is_new }) => !is_new)
  await stageThreads(write, before)
  tally.note('questions unresolved here, as their accepted answer is not in the dump', rows[0]?.missing ?? 0)
  tally.note('questions imported before, whose answer was accepted since: taken', before.length)
  tally.note(
    'questions imported before, whose accepted answer is another one in the dump: not taken, as decided here',
    rows[0]?.otherwise ?? 0,
  )
}

const BATCH_SIZE = 100

async function indexNewThreads({ write, onProgress }: CourseImport): Promise<void> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from dump_threads where is_new`.execute(write)
  onProgress?.begin('Indexing', rows[0]?.count ?? 0)
  for await (const ids of threads(write, true)) {
    await indexNewQuestions(write, ids)
    onProgress?.advance(ids.length)
  }
}

/**
 * Rebuilds the search documents of questions that got new answers or replies, those of long threads after the import. Their rows
 * are locked against concurrent writers.
 */
async function indexOldThreads({ write }: CourseImport): Promise<void> {
  for await (const ids of threads(write, false)) {
    await sql`select id from questions where id = any(${ids}::bigint[]) order by id for no key update`.execute(
      write,
    )
    await indexQuestions(write, ids)
  }
}

async function* threads(write: Write, isNew: boolean): AsyncGenerator<number[]> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const { rows } = await sql<{ question_id: number }>`
      select question_id from dump_threads where is_new = ${isNew} and question_id > ${last}
      order by question_id limit ${BATCH_SIZE}`.execute(write)
    const ids = rows.map((row) => row.question_id)
    if (ids.length > 0) yield ids
    last = ids.at(-1)
  }
}
