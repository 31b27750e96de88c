import { sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'
import { sweep } from '../database/sweep.ts'
import { term } from '../database/terms.ts'

/** Identifies one submission of one form: 32 bytes, the same for a double click and a retry. */
export interface Once {
  readonly key: Buffer
  /** null: a visitor. */
  readonly personId: number | null
}

/** How long a retry is recognized: a tab may stay open for a day. */
const RETENTION = term('postedOnce')

/**
 * Runs `post` once for all submissions with the same key. A concurrent duplicate waits for the transaction of the first (both insert
 * the same key), then gets its path.
 * @param once null: however often it comes
 * @param post does the write and returns the path of the new post
 * @returns that path
 */
export async function postOnce(
  write: Write,
  once: Once | null,
  post: () => Promise<string>,
): Promise<string> {
  if (once === null) return post()
  const { key, personId } = once
  const first = await write
    .insertInto('posted_once')
    .values({ key, person_id: personId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  if (first === undefined) return earlierPath(write, once)
  const path = await post()
  await write.updateTable('posted_once').set({ path }).where('key', '=', key).execute()
  return path
}

export function sweepPostedOnce(db: Database): Promise<number> {
  return sweep(db, 'posted_once', sql`posted_at < now() - ${RETENTION}`)
}

async function earlierPath(write: Write, { key }: Once): Promise<string> {
  const earlier = await write
    .selectFrom('posted_once')
    .select('path')
    .where('key', '=', key)
    .executeTakeFirst()
  if (typeof earlier?.path !== 'string') throw new Error('a form that was sent before led nowhere')
  return earlier.path
}
