import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type NotifierOptions, newsKind } from '../../forum/mailing/notifier.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { MINUTE_MS } from './rhythm.ts'

interface Waiting {
  readonly id: number
  readonly happenedAt: Date
  readonly dueAt: Date
}

/**
 * Writes the mails that are due at a simulated time. The clock stays: what waits is moved by the difference, in whole minutes so that
 * the time this takes makes no difference, and moved back.
 * @throws what writing a mail throws
 */
export async function mailAt(db: Database, now: number, options: NotifierOptions): Promise<void> {
  const { rows } = await sql<Waiting>`
    select id, happened_at as "happenedAt", due_at as "dueAt" from notifications where due_at is not null`.execute(
    db,
  )
  const begun = Date.now()
  const moved = (at: Date) => new Date(begun - Math.floor((now - at.getTime()) / MINUTE_MS) * MINUTE_MS)
  const put = (place: (at: Date) => Date) => sql`
    update notifications as notice set happened_at = waiting.happened_at,
      due_at = case when notice.due_at is not null then waiting.due_at end
    from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ happenedAt }) => place(happenedAt))}::timestamptz[],
      ${rows.map(({ dueAt }) => place(dueAt))}::timestamptz[]) as waiting (id, happened_at, due_at)
    where notice.id = waiting.id`
  await put(moved).execute(db)
  await doJobs(db, newsKind(db, options))
  await put((at) => at).execute(db)
}
