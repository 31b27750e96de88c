import type { Database } from '../database/schema.ts'

/**
 * Follows a question, or stops following it. Twice is once.
 * @param isInsteadOfAsking somebody found their question answered while they were asking it: a duplicate saved
 */
export async function setFollowing(
  db: Database,
  questionId: number,
  personId: number,
  isFollowed: boolean,
  isInsteadOfAsking: boolean,
): Promise<void> {
  if (!isFollowed) {
    await db
      .deleteFrom('question_follows')
      .where('question_id', '=', questionId)
      .where('person_id', '=', personId)
      .execute()
    return
  }
  await db
    .insertInto('question_follows')
    .values({ question_id: questionId, person_id: personId, instead_of_asking: isInsteadOfAsking })
    .onConflict((conflict) =>
      isInsteadOfAsking
        ? conflict.columns(['question_id', 'person_id']).doUpdateSet({ instead_of_asking: true })
        : conflict.doNothing(),
    )
    .execute()
}
