import type { Database } from '../../database/schema.ts'
import { act } from '../../testing/act.ts'
import { inSession } from '../testing.ts'
import { accountDeletion } from './leave.ts'

/** Deletes somebody's account, in a session of theirs. Their posts are dealt with by a job. */
export async function leave(db: Database, id: number, posts: 'keep' | 'delete'): Promise<void> {
  await act({ db }, accountDeletion, { ...(await inSession(db, { id })), input: { posts } })
}
