import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'

export const ANNOUNCEMENTS_PER_PAGE = 20

export type Announcement = NonNullable<Awaited<ReturnType<typeof findAnnouncement>>>

/** The announcements of a course, newest first. Uses index announcements_published. */
export async function listAnnouncements(
  db: Database,
  courseId: number,
  request: PageRequest,
  size = ANNOUNCEMENTS_PER_PAGE,
) {
  const page = pageAlong('news.published_at', 'news.id', 'time', request)
  const rows = await selectAnnouncements(db)
    .where('news.course_id', '=', courseId)
    .where(page.beyond)
    .orderBy(page.order)
    .limit(size + 1)
    .execute()
  return pageOf(rows, size, request)
}

/** One, with the one it corrects and the latest that corrects it. */
export function findAnnouncement(db: Database, id: number) {
  return selectAnnouncements(db)
    .select((select) => [
      select
        .selectFrom('announcements as later')
        .select('later.id')
        .whereRef('later.corrects_id', '=', 'news.id')
        .orderBy('later.id', 'desc')
        .limit(1)
        .as('correction_id'),
    ])
    .where('news.id', '=', id)
    .executeTakeFirst()
}

function selectAnnouncements(db: Database) {
  return db
    .selectFrom('announcements as news')
    .innerJoin('people as author', 'author.id', 'news.author_id')
    .innerJoin('courses as course', 'course.id', 'news.course_id')
    .leftJoin('course_members as member', (join) =>
      join.onRef('member.course_id', '=', 'news.course_id').onRef('member.person_id', '=', 'news.author_id'),
    )
    .select(['news.id', 'news.title', 'news.body', 'news.version', 'news.published_at', 'news.edited_at'])
    .select(['news.corrects_id', 'news.author_id', 'author.display_name', 'member.role'])
    .leftJoin('announcements as corrected', 'corrected.id', 'news.corrects_id')
    .select(['corrected.id as corrected_id', 'corrected.title as corrected_title'])
    .select(['course.slug as course_slug', 'course.id as course_id'])
}
