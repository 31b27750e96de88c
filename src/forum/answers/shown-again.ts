import type { Write } from '../../database/schema.ts'
import type { LockedQuestion } from '../posts/lock.ts'
import { writeStatus } from '../posts/resolution.ts'

/** The reason why an answer wasn't shown, which now ends. */
type Ended = { readonly deleted_at: null; readonly deleted_by: null } | { readonly hidden_at: null }

/**
 * Ends that an answer is deleted, or hidden. Once nothing else keeps it from being shown it is the accepted one again, if it was
 * and no other is by now.
 * @param question locked
 */
export async function showAgain(
  write: Write,
  question: LockedQuestion,
  id: number,
  ended: Ended,
): Promise<void> {
  const { was_accepted: wasAccepted } = await write
    .selectFrom('answers')
    .select('was_accepted')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { is_shown: isShown } = await write
    .updateTable('answers')
    .set({ ...ended, was_accepted: false })
    .where('id', '=', id)
    .returning('is_shown')
    .executeTakeFirstOrThrow()
  if (!wasAccepted) return
  if (!isShown) await write.updateTable('answers').set({ was_accepted: true }).where('id', '=', id).execute()
  else if (question.acceptedAnswerId === null) await writeStatus(write, question, 'resolved', id)
}
