import { type RawBuilder, sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { owner, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'

/** How people are told beside the bell. */
export type Channel = Row<'deliveries'>['channel']

export const deliveries = table(
  'deliveries',
  { person_id: owner },
  {
    key: ['notification_id', 'channel'],
    own: { things: [['notification_id', 'channel']], parents: { notification_id: 'notifications' } },
    expired: sql`waiting_since is null and coalesce(sent_at, '-infinity') < now() - ${term('deliveries')}`,
  },
)

export const deliveryWindows = table(
  'delivery_windows',
  { person_id: owner },
  { key: ['person_id', 'channel', 'ends_at'], own: { things: [['channel', 'ends_at']] } },
)

/** What a person chose, as columns: of aliases `person`, `course` and `member`, their row in it, or nulls. */
export const choices: RawBuilder<unknown> = sql`
  coalesce(member.mail_rhythm, person.mail_rhythm) as mail_rhythm, person.mails_off, person.push_rhythm, person.pushes_off,
  coalesce(person.time_zone, course.time_zone) as time_zone`

/** The channels as a table `way`, with how often (`rhythm`) and of which reasons (`off`) `chosen`, choices, does not want to be told. */
const joinWays = sql`
  cross join lateral (values
    ('email', chosen.mail_rhythm, chosen.mails_off),
    ('push', case chosen.push_rhythm when 'mails' then chosen.mail_rhythm else chosen.push_rhythm end, chosen.pushes_off)
  ) as way (channel, rhythm, off)`

export const joinChannels: RawBuilder<unknown> = sql`
  cross join lateral (select ${choices}) as chosen ${joinWays}`

/**
 * When `way` may tell of `event`, which has a `reason` and happened `at`, as `until.ends_at`; null: never. An announcement is told at
 * once, however seldom the rest is.
 */
const joinEnd = sql`
  cross join lateral (select case
    when event.reason = 'announcement' and (way.rhythm = 'never' or event.reason = any(way.off)) then null
    when event.reason = 'announcement' then event.at
    else next_mail_at(way.rhythm, chosen.time_zone, event.at) end as ends_at) as until`

/** 2 for an announcement, and for what comes daily or weekly: sent after what is told at once. */
const PRIORITY = sql`(case when event.reason <> 'announcement' and until.ends_at <= event.at then 1 else 2 end)`

/** The row is locked, so that who closes the window waits for what comes into it. */
const JOINED = sql`on conflict on constraint delivery_windows_pkey do update
  set begins_at = least(known.begins_at, excluded.begins_at), priority = least(known.priority, excluded.priority)`

/**
 * The end of a statement that notifies people: what emails and pushes are to tell of it. After `told`, a query with the columns
 * `person_id`, `reason`, `at` and those of choices, and `noticed`, the notifications with `id` and `person_id`.
 */
export const deliverTold: RawBuilder<unknown> = sql`
  due as (
    select noticed.id, person_id, way.channel, event.at, until.ends_at, ${PRIORITY} as priority
    from told as chosen join noticed using (person_id)
    cross join lateral (select chosen.reason, chosen.at) as event ${joinWays} ${joinEnd}
    where until.ends_at is not null and not event.reason = any(way.off) and (way.channel = 'email' or exists (
      select from push_subscriptions as browser where browser.person_id = chosen.person_id))
  ), delivered as (
    insert into deliveries as delivery (notification_id, channel, person_id, waiting_since)
    select id, channel, person_id, at from due order by person_id, channel
    on conflict on constraint deliveries_pkey do update
    set waiting_since = coalesce(delivery.waiting_since, excluded.waiting_since)
  )
  insert into delivery_windows as known (person_id, channel, begins_at, ends_at, priority)
  select person_id, channel, at, ends_at, priority from due order by person_id, channel
  ${JOINED}`

/**
 * What waits of these people's, before a condition: `event.at`, from when on it is told; `until.ends_at`, when, as they chose. Whoever
 * locks some of it locks notifications first and windows last, as who notifies does, in the order of people.
 */
const waitingOf = (people: readonly number[], channels: readonly Channel[]) => sql`
  notifications as notice
  join deliveries as delivery on delivery.notification_id = notice.id
  join people as person on person.id = delivery.person_id
  left join questions as q on q.id = notice.question_id
  left join announcements as news on news.id = notice.announcement_id
  join courses as course on course.id = coalesce(q.course_id, news.course_id)
  left join course_members as member on member.course_id = course.id and member.person_id = person.id
  ${joinChannels}
  cross join lateral (select notice.reason, greatest(delivery.waiting_since, notice.since_at) as at) as event
  ${joinEnd}
  where delivery.person_id = any(${[...people]}::bigint[]) and delivery.waiting_since is not null
    and way.channel = delivery.channel and delivery.channel = any(${[...channels]})`

const IN_ORDER = sql`order by delivery.person_id, notice.id, delivery.channel for update of notice, delivery`

/**
 * Goes by what these people chose, as it is now: what waits is told when a window closes that they chose, or waits no longer. Kinds that
 * are switched off are left out as it is told: a notification may hold others.
 */
export async function openWindows(
  write: Write,
  people: readonly number[],
  channels: readonly Channel[] = ['email', 'push'],
): Promise<void> {
  await sql`
    with ended as (
      select delivery.notification_id, delivery.channel from ${waitingOf(people, channels)} and until.ends_at is null ${IN_ORDER})
    update deliveries as delivery set waiting_since = null from ended
    where delivery.notification_id = ended.notification_id and delivery.channel = ended.channel`.execute(
    write,
  )
  await sql`
    insert into delivery_windows as known (person_id, channel, begins_at, ends_at, priority)
    select delivery.person_id, way.channel, min(event.at), until.ends_at, min(${PRIORITY})
    from ${waitingOf(people, channels)} and until.ends_at is not null
    group by delivery.person_id, way.channel, until.ends_at
    order by delivery.person_id, way.channel, until.ends_at ${JOINED}`.execute(write)
}

export type Due = Awaited<ReturnType<typeof takeDue>>[number]

/**
 * What a channel may tell these people now, which waits no longer; locked, person by person: what they are notified of meanwhile waits.
 * Their windows that have ended are closed.
 * @returns `since`: what came then or later is told
 */
export async function takeDue(write: Write, channel: Channel, people: readonly number[]) {
  const { rows } = await sql<{ id: number; personId: number; since: Date; priority: 1 | 2 }>`
    with due as (
      select notice.id, delivery.person_id, event.at, notice.seen_at, ${PRIORITY} as priority
      from ${waitingOf(people, [channel])} and (until.ends_at <= now() or notice.seen_at is not null) ${IN_ORDER}),
    taken as (
      update deliveries set waiting_since = null from due
      where deliveries.channel = ${channel} and deliveries.notification_id = due.id)
    select id, person_id as "personId", at as since, priority from due where seen_at is null
    order by person_id, id`.execute(write)
  await sql`
    with ended as (
      select person_id, ends_at from delivery_windows
      where channel = ${channel} and person_id = any(${[...people]}::bigint[]) and ends_at <= now()
      order by person_id, ends_at for update)
    delete from delivery_windows as closing using ended
    where closing.channel = ${channel} and closing.person_id = ended.person_id and closing.ends_at = ended.ends_at`.execute(
    write,
  )
  // What came in between, or waits for longer: its rhythm was changed, or the person moved to another time zone.
  await openWindows(write, people, [channel])
  return rows
}

/** Says that a channel told of these: a name that was told can't be hidden any more (posts/source.ts). */
export async function markSent(write: Write, channel: Channel, ids: readonly number[]): Promise<void> {
  await sql`
    update deliveries set sent_at = now()
    where channel = ${channel} and notification_id = any(${[...ids]}::bigint[])`.execute(write)
}

/** How many times `soonSeconds` somebody waits at most while more and more comes. */
const MAX_WAITS = 3
/** Windows that are read for each person who is looked for. */
const WINDOWS_OF_PERSON = 4

/**
 * People whose window of a channel has closed: `soonSeconds` after the last event that is told at once, in which it can be mended or taken
 * back, and after three times as many at the latest; those first who wait the longest. Uses index delivery_windows_due.
 * @param isLeft a condition on `closing.person_id`
 */
export async function peopleDue(
  db: Database | Write,
  channel: Channel,
  priority: 1 | 2,
  soonSeconds: number,
  limit: number,
  isLeft: RawBuilder<boolean> = sql`true`,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with due as (
      select person_id, ends_at from delivery_windows as closing
      where channel = ${channel} and priority = ${sql.lit(priority)} and ends_at <= now() and ${isLeft}
        and (ends_at <= now() - make_interval(secs => ${MAX_WAITS * soonSeconds}) or not exists (
          select from delivery_windows as later
          where later.person_id = closing.person_id and later.channel = closing.channel and later.begins_at = later.ends_at
            and later.ends_at <= now() and later.ends_at > now() - make_interval(secs => ${soonSeconds})))
      order by ends_at, person_id limit ${WINDOWS_OF_PERSON * limit})
    select person_id as id from due group by person_id order by min(ends_at), person_id limit ${limit}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
