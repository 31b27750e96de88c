import { sql } from 'kysely'
import { COMMIT_BEFORE_FLUSH, durable } from './durable.ts'
import type { Database, Write } from './schema.ts'
import { sweep } from './sweep.ts'

/** Identifies one sending of one form: 32 bytes, the same for a double click and a retry. */
export interface Once {
  readonly key: Buffer
  readonly personId: number
}

/** A retry may come a day later, from a tab that was left open; not later. */
const LIFE = sql`interval '2 days'`

/**
 * Does `post` once for all sendings of the same form, in one transaction. The second sending waits for the first to be
 * done (both insert the same key), then leads where the first did.
 * @param post does the write and returns the path of what it made
 * @returns that path
 */
export async function postOnce(
  db: Database,
  once: Once,
  post: (write: Write) => Promise<string>,
): Promise<string> {
  const path = await db.transaction().execute(async (write) => {
    const first = await write
      .insertInto('posted_once')
      .values({ key: once.key, person_id: once.personId })
      .onConflict((conflict) => conflict.doNothing())
      .returning(COMMIT_BEFORE_FLUSH.as('committing'))
      .executeTakeFirst()
    if (first === undefined) return leadThere(await earlierPath(write, once))
    const path = await post(write)
    await write.updateTable('posted_once').set({ path }).where('key', '=', once.key).execute()
    return path
  })
  await durable(db)
  return path
}

export function sweepPostedOnce(db: Database): Promise<number> {
  return sweep(db, 'posted_once', sql`posted_at < now() - ${LIFE}`)
}

/** Where an earlier sending led; null: there was none. */
export async function earlierPath(db: Database | Write, once: Once): Promise<string | null> {
  const earlier = await db
    .selectFrom('posted_once')
    .select('path')
    .where('key', '=', once.key)
    .executeTakeFirst()
  return earlier?.path ?? null
}

function leadThere(path: string | null): string {
  if (path === null) throw new Error('a form that was sent before led nowhere')
  return path
}
