import { type RawBuilder, sql } from 'kysely'
import { sealedName } from '../authors/sealed-name.ts'

/** What notification `notice` of an announcement is about: `news`, its `course`, the `person`, and their row in it as `member`. */
export const joinAnnouncement: RawBuilder<unknown> = sql`
  join people as person on person.id = notice.person_id
  join announcements as news on news.id = notice.announcement_id
  join courses as course on course.id = news.course_id
  left join course_members as member on member.course_id = course.id and member.person_id = person.id`

/** Whether the person of joinAnnouncement is still in the course, or follows it. */
export const isListening: RawBuilder<boolean> = sql<boolean>`(member.person_id is not null or exists (
  select from course_follows as follow
  where follow.course_id = course.id and follow.person_id = person.id and follow.is_followed))`

/** Who wrote the announcement of joinAnnouncement. */
export const joinAnnouncer: RawBuilder<unknown> = sql`
  join people as author on author.id = news.author_id
  left join course_members as author_member on author_member.course_id = course.id and author_member.person_id = author.id`

/** The fields of an AuthorRow for jsonb_build_object, of joinAnnouncer. */
export const authorOfAnnouncement: RawBuilder<unknown> = sql`'author_id', author.id,
  'author_name', ${sealedName('author.display_name')}, 'author_role', author_member.role, 'is_anonymous', false`
