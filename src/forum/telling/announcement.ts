import { type RawBuilder, sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { isCourseReadableByPerson } from '../../kernel/rights/visibility.ts'
import { sealedName } from '../authors/sealed-name.ts'
import { choices, deliverTold } from './deliveries.ts'

/**
 * Tells a new announcement, in the transaction that publishes it, to the course's members and those who follow it: one statement,
 * in the order of their ids. Left out are its author and who cannot sign in.
 */
export async function notifyOfAnnouncement(write: Write, id: number, authorId: number): Promise<void> {
  await sql`
    with told as materialized (
      select person.id as person_id, news.id as announcement_id, 'announcement' as reason,
        news.published_at::timestamptz(3) as at, ${choices}
      from announcements as news
      join courses as course on course.id = news.course_id
      cross join lateral (
        select person_id from course_members where course_id = course.id
        union select person_id from course_follows where course_id = course.id and is_followed
      ) as listener
      join people as person on person.id = listener.person_id
      left join course_members as member on member.course_id = course.id and member.person_id = person.id
      where news.id = ${id} and person.id <> ${authorId} and ${canSignIn()}
        and ${isCourseReadableByPerson}
      order by person.id for key share of person
    ), noticed as (
      insert into notifications (person_id, announcement_id, reason, since_at, happened_at)
      select person_id, announcement_id, reason, at, at from told order by person_id
      on conflict on constraint notifications_announcement_key do nothing returning id, person_id
    ), ${deliverTold}`.execute(write)
}

/** What notification `notice` of an announcement is about: `news`, its `course`, the `person`, and their row in it as `member`. */
export const joinAnnouncement: RawBuilder<unknown> = sql`
  join people as person on person.id = notice.person_id
  join announcements as news on news.id = notice.announcement_id
  join courses as course on course.id = news.course_id
  left join course_members as member on member.course_id = course.id and member.person_id = person.id`

export const isListening: RawBuilder<boolean> = sql<boolean>`(member.person_id is not null or exists (
  select from course_follows as follow
  where follow.course_id = course.id and follow.person_id = person.id and follow.is_followed))`

export const joinAnnouncer: RawBuilder<unknown> = sql`
  join people as author on author.id = news.author_id
  left join course_members as author_member on author_member.course_id = course.id and author_member.person_id = author.id`

/** The fields of an AuthorRow for jsonb_build_object, of joinAnnouncer. */
export const authorOfAnnouncement: RawBuilder<unknown> = sql`'author_id', author.id,
  'author_name', ${sealedName('author.display_name')}, 'author_role', author_member.role, 'is_anonymous', false`
