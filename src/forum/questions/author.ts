import type { Write } from '../../database/schema.ts'
import { Problem } from '../../operations/problem.ts'

/**
 * Makes sure that a post's author is not deleting the account, and keeps it from being deleted until the post is written.
 * Questions are locked before people.
 * @throws Problem 403 when the account is being deleted, or was
 */
export async function requireAuthor(write: Write, personId: number): Promise<void> {
  const author = await write
    .selectFrom('people')
    .select('left_at')
    .where('id', '=', personId)
    .forKeyShare()
    .executeTakeFirst()
  if (author === undefined || author.left_at !== null) throw new Problem('leaving')
}
