import type { Database } from '../../database/schema.ts'
import { perform } from '../../kernel/perform.ts'
import { beginSession } from '../sessions/sessions.ts'
import { accountDeletion } from './leave.ts'

const SURROUNDINGS = { baseUrl: 'https://forum.example', language: 'en', log: () => undefined } as const

/** Deletes somebody's account, in a session of theirs. Their posts are dealt with by a job. */
export async function leave(db: Database, personId: number, posts: 'keep' | 'delete'): Promise<void> {
  const sessionToken = await beginSession(db, personId, 'a test')
  const call = { actor: { id: personId }, key: { personId, sessionToken }, input: { posts } }
  await perform(db, accountDeletion, call, SURROUNDINGS)
}
