import { type ExpressionBuilder, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { filledTable, type OnlyChanged } from '../../database/counted-tables.ts'
import type { Schema, Write } from '../../database/schema.ts'

export interface Tagged {
  readonly id: number
  readonly courseId: number
}

/** @param names unique, in the order of the tags, which replace those that the question has */
export async function setTags(write: Write, question: Tagged, names: readonly string[]): Promise<void> {
  const ids = await tagIds(write, names)
  await lockCounts(write, question, ids)
  await sql`
    delete from question_tags
    where question_id = ${question.id} and tag_id <> all(${ids}::bigint[])`.execute(write)
  await putTags(write, question, ids)
}

/** @param names unique, in the order of the tags */
export async function addTags(write: Write, question: Tagged, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const ids = await tagIds(write, names)
  await lockCounts(write, question, ids)
  await putTags(write, question, ids)
}

async function putTags(write: Write, { id }: Tagged, tagIds: readonly number[]): Promise<void> {
  await sql`
    insert into question_tags (question_id, tag_id, position)
    select ${id}, tag_id, position from unnest(${tagIds}::bigint[]) with ordinality as tag (tag_id, position)
    on conflict (question_id, tag_id) do update set position = excluded.position`.execute(write)
}

async function tagIds(write: Write, names: readonly string[]): Promise<number[]> {
  const known = await knownTags(write, names)
  // Sorted, so that two writes with the same new tags do not deadlock.
  const rows = names
    .filter((name) => !known.has(name))
    .sort()
    .map((name) => ({ name }))
  if (rows.length > 0)
    await write
      .insertInto('tags')
      .values(rows)
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
  const all = rows.length > 0 ? await knownTags(write, names) : known
  return names.map((name) => all.get(name)).filter((id) => id !== undefined)
}

async function knownTags(write: Write, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map()
  const tags = await write.selectFrom('tags').select(['id', 'name']).where('name', 'in', names).execute()
  return new Map(tags.map((tag) => [tag.name, tag.id]))
}

/**
 * Locks the counts of the tags that a question has and of those it gets, in their order, before one statement takes tags away
 * and another adds some: two questions that exchange their tags must not wait for each other.
 */
async function lockCounts(write: Write, { id, courseId }: Tagged, tagIds: readonly number[]): Promise<void> {
  await sql`
    insert into course_tags (course_id, tag_id)
    select ${courseId}::bigint, tag_id from (
      select tag_id from question_tags where question_id = ${id} union select unnest(${tagIds}::bigint[])
    ) as tag order by tag_id
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
