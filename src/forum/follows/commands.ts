import type { Database } from '../../database/schema.ts'

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
    .columns(['question_id', 'person_id', 'instead_of_asking'])
    // Nothing is left of somebody who has deleted their account meanwhile.
    .expression((from) =>
      from
        .selectFrom('people')
        .select((select) => [
          select.val(questionId).as('question_id'),
          'id',
          select.val(isInsteadOfAsking).as('instead_of_asking'),
        ])
        .where('id', '=', personId)
        .where('left_at', 'is', null)
        .forKeyShare(),
    )
    .onConflict((conflict) =>
      isInsteadOfAsking
        ? conflict.columns(['question_id', 'person_id']).doUpdateSet({ instead_of_asking: true })
        : conflict.doNothing(),
    )
    .execute()
}
