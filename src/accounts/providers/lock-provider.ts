import type { Write } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'

/**
 * Locks a provider before it opens or links an account: one that is turned off meanwhile lets nobody in any more, and turning it off
 * waits for those who are coming in, and then ends their sessions. Providers are locked before people.
 * @throws Problem 404 when it is off, or gone
 */
export async function lockUsable(write: Write, id: number): Promise<void> {
  const row = await write
    .selectFrom('identity_providers')
    .select('is_on')
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()
  if (row?.is_on !== true) throw notFound()
}
