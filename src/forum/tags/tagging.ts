import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { filledTable, type OnlyChanged } from '../../database/counted-tables.ts'
import type { Database, Schema, Write } from '../../database/schema.ts'

export interface Tagged {
  readonly id: number
  readonly courseId: number
}

/** @param names unique, in the order of the tags, which replace those that the question has */
export async function setTags(write: Write, question: Tagged, names: readonly string[]): Promise<void> {
  await putTags(write, question, names)
  await sql`
    delete from question_tags
    where question_id = ${question.id} and tag_id not in (select tag_id from ${meant(question, names)})`.execute(
    write,
  )
}

/** @param names unique, in the order of the tags */
export async function addTags(write: Write, question: Tagged, names: readonly string[]): Promise<void> {
  if (names.length > 0) await putTags(write, question, names)
}

async function putTags(write: Write, question: Tagged, names: readonly string[]): Promise<void> {
  await makeTags(write, question, names)
  await lockCounts(write, question, names)
  // What the words mean now: an instructor who renamed one of them meanwhile had its count locked.
  await sql`
    insert into question_tags (question_id, tag_id, position)
    select ${question.id}, tag_id, position from ${meant(question, names)}
    on conflict (question_id, tag_id) do update set position = excluded.position`.execute(write)
}

/** The tags that words mean in a course, in their order and each once: by its own name, or an alias of it. */
const meant = ({ courseId }: Pick<Tagged, 'courseId'>, names: readonly string[]) => sql`(
  select coalesce(alias.tag_id, tag.id) as tag_id, min(typed.position) as position
  from unnest(${names}::text[]) with ordinality as typed (name, position)
  left join tag_aliases as alias on alias.course_id = ${courseId} and alias.name = typed.name
  left join tags as tag on tag.name = typed.name
  where coalesce(alias.tag_id, tag.id) is not null group by 1) as meant`

/** The names of the tags that words mean in a course, in their order and each once; of a tag that isn't there yet the word. */
export async function tagsMeant(
  db: Database | Write,
  courseId: number,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return []
  const aliases = await db
    .selectFrom('tag_aliases as alias')
    .innerJoin('tags as tag', 'tag.id', 'alias.tag_id')
    .select(['alias.name', 'tag.name as means'])
    .where('alias.course_id', '=', courseId)
    .where('alias.name', 'in', names)
    .execute()
  const meanings = new Map(aliases.map(({ name, means }) => [name, means]))
  return [...new Set(names.map((name) => meanings.get(name) ?? name))]
}

/** Waits for whoever renames tags of the course, or imports questions with some, and has them wait. */
export async function lockTagsOf(write: Write, courseId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('tags'), ${courseId}::integer)`.execute(write)
}

/** Makes the words tags that are none. Those that are can't go before this transaction ends. */
async function makeTags(write: Write, { courseId }: Tagged, names: readonly string[]): Promise<void> {
  const known = await write
    .selectFrom('tags')
    .select('name')
    .where('name', '=', sql<string>`any(${names}::text[])`)
    .forKeyShare()
    .execute()
  const missing = names.filter((name) => known.every((tag) => tag.name !== name))
  if (missing.length === 0) return
  // Sorted, so that two writes with the same new tags do not deadlock.
  await sql`
    insert into tags (name) select name from unnest(${missing}::text[]) as name
    where not exists (select from tag_aliases where course_id = ${courseId} and tag_aliases.name = name.name)
    order by name on conflict (name) do nothing`.execute(write)
}

/**
 * Locks the counts of the tags that a question has and of those it gets, before one statement adds some and another takes tags
 * away: two questions that exchange their tags must not wait for each other.
 */
function lockCounts(write: Write, question: Tagged, names: readonly string[]): Promise<void> {
  return lockTagCounts(
    write,
    question.courseId,
    sql`select tag_id from question_tags where question_id = ${question.id} union select tag_id from ${meant(question, names)}`,
  )
}

/** Locks the counts of tags in a course, in their order; where there is none yet, it is made. @param tags a query of `tag_id` */
export async function lockTagCounts(
  write: Write,
  courseId: number,
  tags: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    insert into course_tags (course_id, tag_id)
    select ${courseId}::bigint, tag_id from (${tags}) as tag order by tag_id
    on conflict (course_id, tag_id) do update
      set questions_count = course_tags.questions_count where false`.execute(write)
}

/** The tags of the question `q` of a query, in the order the asker gave them: `[{ name }]`. */
export function tagsOf(select: ExpressionBuilder<Schema & { q: Schema['questions'] }, 'q'>) {
  return jsonArrayFrom(
    select
      .selectFrom('question_tags')
      // By their keys: a join would read all tags for each question of a forum with few.
      .select(sql<string>`(select name from tags where tags.id = question_tags.tag_id)`.as('name'))
      .whereRef('question_tags.question_id', '=', 'q.id')
      .orderBy('question_tags.position'),
  )
}

/** The names of a question's tags, in their order. @param question the alias of its table */
export const tagNamesOf = (question: string) => sql<string[]>`
  array(select tags.name from question_tags join tags on tags.id = question_tags.tag_id
    where question_tags.question_id = ${sql.ref(`${question}.id`)} order by question_tags.position)`

const tagsOfCourses = (only: OnlyChanged) => sql`
  select question.course_id, question_tags.tag_id, count(*)::integer as questions_count
  from question_tags join questions as question on question.id = question_tags.question_id
  where question.is_listed
    and ${only('courses', 'question.course_id')} and ${only('tags', 'question_tags.tag_id')}
  group by question.course_id, question_tags.tag_id`

export const courseTagCounts = filledTable('course_tags', 'tags', ['course_id', 'tag_id'], tagsOfCourses, [
  'questions_count',
])
