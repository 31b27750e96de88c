import { sql } from 'kysely'
import type { Write } from '../database/schema.ts'

/** A question, as far as its tags go. */
export interface Tagged {
  readonly id: number
  readonly courseId: number
}

/** Gives a question these tags, in this order, instead of those it has; keeps the course's counts. Names are unique. */
export async function setTags(write: Write, question: Tagged, names: readonly string[]): Promise<void> {
  const tags = await tagIds(write, names)
  const before = await write
    .deleteFrom('question_tags')
    .where('question_id', '=', question.id)
    .returning('tag_id')
    .execute()
  const after = names.map((name) => tags.get(name)).filter((id) => id !== undefined)
  if (after.length > 0) {
    const rows = after.map((tagId, index) => ({
      question_id: question.id,
      tag_id: tagId,
      position: index + 1,
    }))
    await write.insertInto('question_tags').values(rows).execute()
  }
  const old = before.map((row) => row.tag_id)
  await countTags(
    write,
    question.courseId,
    after.filter((id) => !old.includes(id)),
    1,
  )
  await countTags(
    write,
    question.courseId,
    old.filter((id) => !after.includes(id)),
    -1,
  )
}

/** Counts a deleted question's tags down; it keeps them, since it keeps everything. */
export async function discountTags(write: Write, question: Tagged): Promise<void> {
  const rows = await write
    .selectFrom('question_tags')
    .select('tag_id')
    .where('question_id', '=', question.id)
    .execute()
  await countTags(
    write,
    question.courseId,
    rows.map((row) => row.tag_id),
    -1,
  )
}

/** The ids of these names, made where they are new. Sorted, so that two writes with the same new tags do not deadlock. */
async function tagIds(write: Write, names: readonly string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const rows = [...names].sort().map((name) => ({ name }))
  await write
    .insertInto('tags')
    .values(rows)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const tags = await write
    .selectFrom('tags')
    .select(['id', 'name'])
    .where('name', 'in', [...names])
    .execute()
  return new Map(tags.map((tag) => [tag.name, tag.id]))
}

async function countTags(
  write: Write,
  courseId: number,
  tagIds: readonly number[],
  delta: 1 | -1,
): Promise<void> {
  if (tagIds.length === 0) return
  const sorted = [...tagIds].sort((one, other) => one - other)
  await write
    .insertInto('course_tags')
    .values(
      sorted.map((tagId) => ({ course_id: courseId, tag_id: tagId, questions_count: Math.max(delta, 0) })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['course_id', 'tag_id'])
        .doUpdateSet({ questions_count: sql`course_tags.questions_count + ${delta}` }),
    )
    .execute()
}
