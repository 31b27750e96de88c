import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/** Tables that a merge and its undo change for good: what ends, what is sent, and what is written down about it. */
const NOT_RESTORED = [
  'sessions',
  'ended_sessions',
  'provider_sessions',
  'half_sign_ins',
  'sign_in_links',
  'mail_links',
  'api_tokens',
  'push_subscriptions',
  'reply_keys',
  'provider_sign_ins',
  'kept_forms',
  'posted_once',
  'mails',
  'jobs',
  'audit',
  'tries',
  'account_merges',
  'account_merge_rows',
  'account_merge_courses',
  // Follows from the posts; looked at in the background.
  'search_queue',
]

/** All rows of the forum, as text, by table; what a merge doesn't restore is left out. */
export async function fingerprint(db: Database): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by 1`.execute(
    db,
  )
  const found: Record<string, string[]> = {}
  for (const { name } of tables) {
    if (NOT_RESTORED.includes(name)) continue
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(kept) - 'access_version')::text as row from ${sql.table(name)} as kept order by 1`.execute(
      db,
    )
    // A counter of nothing is the same as none.
    found[name] = rows
      .map(({ row }) => row)
      .filter((row) => name !== 'course_authors' || !/"answers_count": 0.*"questions_count": 0/.test(row))
  }
  return found
}
