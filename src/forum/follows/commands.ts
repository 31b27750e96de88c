import type { Write } from '../../database/schema.ts'
import { endDraft } from '../drafts/commands.ts'
import { learnTitle } from '../search/learning/asked-instead.ts'

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
