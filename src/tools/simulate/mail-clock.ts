import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type NotifierOptions, newsKind } from '../../forum/mailing/notifier.ts'
import { openWindows } from '../../forum/telling/deliveries.ts'
import { doJobs } from '../../jobs/do-jobs.ts'

interface Waiting {
  readonly id: number
  readonly personId: number
  readonly since: Date
}

/**
 * Writes the emails that are due at a simulated time, which has passed. The clock stays: what was not due by then is put aside meanwhile.
 * @throws what writing an email throws
 */
export async function mailAt(db: Database, now: number, options: NotifierOptions): Promise<void> {
  const at = new Date(now)
  const early = (windows: number) =>
    sql`${at}::timestamptz - make_interval(secs => ${windows * options.soonSeconds})`
  const { rows } = await sql<Waiting>`
    with closed as (
      select person_id from delivery_windows where ends_at <= ${at}
      group by person_id having min(ends_at) <= ${early(3)} or max(ends_at) <= ${early(1)})
    select notice.id, notice.person_id as "personId", delivery.waiting_since as since
    from deliveries as delivery join notifications as notice on notice.id = delivery.notification_id
    join people as person on person.id = notice.person_id
    where delivery.waiting_since is not null and (person.id not in (select person_id from closed) or notice.announcement_id is null
      and next_mail_at(person.mail_rhythm, person.time_zone, greatest(delivery.waiting_since, notice.since_at)) > ${at})`.execute(
    db,
  )
  const put = (since: (one: Waiting) => Date | null) => sql`
    update deliveries set waiting_since = put.since
    from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(since)}::timestamptz[]) as put (id, since)
    where notification_id = put.id`
  await put(() => null).execute(db)
  await doJobs(db, newsKind(db, options))
  await db.transaction().execute(async (write) => {
    await put(({ since }) => since).execute(write)
    await openWindows(write, [...new Set(rows.map(({ personId }) => personId))])
  })
}
