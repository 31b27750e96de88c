import { type RawBuilder, sql } from 'kysely'

/** What notification `notice` of an announcement is about: `news`, its `course`, the `person`, and their row in it as `member`. */
export const joinAnnouncement: RawBuilder<unknown> = sql`
  join people as person on person.id = notice.person_id
  join announcements as news on news.id = notice.announcement_id
  join courses as course on course.id = news.course_id
  left join course_members as member on member.course_id = course.id and member.person_id = person.id`
