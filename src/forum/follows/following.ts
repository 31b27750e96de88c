import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { missed, owner, ownOf } from '../../database/table.ts'
import { endDraft } from '../drafts/draft.ts'
import { learnTitle } from '../search/learning/signals.ts'

export const followTables = [
  ownOf('course_follows', 'course_id', 'courses', { column: missed(owner) }),
  ownOf('lecture_follows', 'lecture_id', 'lectures', { column: missed(owner) }),
  ownOf('tag_follows', 'tag_id', 'tags', { column: missed(owner) }),
  ownOf('question_follows', 'question_id', 'questions', { column: missed(owner) }),
]

/** 'mute': nothing in the question is told. 'none': what they follow else decides. */
export type Following = 'follow' | 'mute' | 'none'

/**
 * Follows a question, mutes it, or neither. Twice is once.
 * @param isInsteadOfAsking somebody found their question answered while they were asking it: a duplicate saved
 */
export async function setFollowing(
  write: Write,
  questionId: number,
  personId: number,
  following: Following,
  isInsteadOfAsking = false,
): Promise<void> {
  if (following === 'none') {
    await write
      .deleteFrom('question_follows')
      .where('question_id', '=', questionId)
      .where('person_id', '=', personId)
      .execute()
    return
  }
  await write
    .insertInto('question_follows')
    .values({
      question_id: questionId,
      person_id: personId,
      level: following,
      instead_of_asking: isInsteadOfAsking,
    })
    .onConflict((conflict) =>
      conflict.columns(['question_id', 'person_id']).doUpdateSet({
        level: following,
        ...(following === 'mute' && { instead_of_asking: false }),
        ...(isInsteadOfAsking && { instead_of_asking: true }),
      }),
    )
    .execute()
}

/**
 * "This answers mine": follows the question instead of posting another, whose draft ends with it.
 * @param title what was typed as its title, by which others may find the question; null: it was not for everybody, or not sent
 */
export async function followInstead(
  write: Write,
  questionId: number,
  personId: number,
  title: string | null,
): Promise<void> {
  await setFollowing(write, questionId, personId, 'follow', true)
  if (title !== null) await learnTitle(write, questionId, personId, title)
  const { slug } = await write
    .selectFrom('questions as q')
    .innerJoin('courses as c', 'c.id', 'q.course_id')
    .select('c.slug')
    .where('q.id', '=', questionId)
    .executeTakeFirstOrThrow()
  await endDraft(write, personId, `/questions?course=${slug}`, null)
}

/** Whose new questions somebody wants to hear of. */
export type Place =
  | { readonly kind: 'course'; readonly id: number }
  | { readonly kind: 'lecture'; readonly id: number }
  | { readonly kind: 'tag'; readonly id: number }

/** Follows the new questions of a course, a lecture or a tag, or no longer. Twice is once. */
export async function setPlaceFollowing(
  write: Write,
  { kind, id }: Place,
  personId: number,
  isFollowed: boolean,
): Promise<void> {
  if (kind === 'course') await setCourseFollowing(write, id, personId, isFollowed)
  else if (!isFollowed)
    await sql`delete from ${TABLES[kind].table} where ${TABLES[kind].column} = ${id} and person_id = ${personId}`.execute(
      write,
    )
  else
    await sql`
      insert into ${TABLES[kind].table} (${TABLES[kind].column}, person_id)
      values (${id}, ${personId}) on conflict do nothing`.execute(write)
}

/** Ends all that somebody follows. What is muted stays mute. */
export async function endAllFollowing(write: Write, personId: number): Promise<void> {
  for (const { table } of Object.values(TABLES))
    await sql`delete from ${table} where person_id = ${personId}`.execute(write)
  await sql`delete from question_follows where person_id = ${personId} and level = 'follow'`.execute(write)
  await sql`update course_follows set is_followed = false where person_id = ${personId} and is_followed`.execute(
    write,
  )
  // Staff follow where no row says otherwise.
  await sql`
    insert into course_follows (course_id, person_id, is_followed)
    select course_id, person_id, false from course_members where person_id = ${personId} and role <> 'learner'
    on conflict do nothing`.execute(write)
}

const TABLES = {
  lecture: { table: sql.table('lecture_follows'), column: sql.ref('lecture_id') },
  tag: { table: sql.table('tag_follows'), column: sql.ref('tag_id') },
} as const

/** Kept also where it is not followed, as staff follow without a row. */
async function setCourseFollowing(
  write: Write,
  courseId: number,
  personId: number,
  isFollowed: boolean,
): Promise<void> {
  await sql`
    insert into course_follows (course_id, person_id, is_followed)
    values (${courseId}, ${personId}, ${isFollowed})
    on conflict (course_id, person_id) do update set is_followed = excluded.is_followed
    where course_follows.is_followed <> excluded.is_followed`.execute(write)
}
