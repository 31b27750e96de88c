import { sql } from 'kysely'
import type { Write } from '../database/schema.ts'
import { holder, table } from '../database/table.ts'
import { term } from '../database/terms.ts'

export const postedOnceTable = table(
  'posted_once',
  { person_id: holder },
  // A retry is recognized for longer than a tab stays open.
  { expired: sql`posted_at < now() - ${term('postedOnce')}` },
)

/** Identifies one submission of one form: 32 bytes, the same for a double click and a retry. */
export interface Once {
  readonly key: Buffer
  /** null: a visitor. */
  readonly personId: number | null
}

/** The first of them has an outcome, the others null; all have the path of the new post. */
interface Posted<Outcome> {
  readonly outcome: Outcome | null
  readonly path: string
}

/**
 * Runs `post` once for all submissions with the same key. A concurrent duplicate waits for the transaction of
 * the first, as both insert the same key, then gets its path.
 * @param once null: however often it comes
 */
export async function postOnce<Outcome>(
  write: Write,
  once: Once | null,
  post: () => Promise<Posted<Outcome>>,
): Promise<Posted<Outcome>> {
  if (once === null) return post()
  const { path } = await write
    .insertInto('posted_once')
    .values({ key: once.key, person_id: once.personId })
    .onConflict((conflict) => conflict.column('key').doUpdateSet((eb) => ({ key: eb.ref('excluded.key') })))
    .returning('path')
    .executeTakeFirstOrThrow()
  if (path !== '') return { outcome: null, path }
  const posted = await post()
  await write.updateTable('posted_once').set({ path: posted.path }).where('key', '=', once.key).execute()
  return posted
}
