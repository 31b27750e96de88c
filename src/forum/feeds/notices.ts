import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { visibleTo } from '../../rights/visibility.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { announcementPath, faqPath } from '../../web/paths.ts'

/** An entry of a feed that is no question: what staff told or explained to a public course. */
export interface NoticeEntry {
  readonly id: string
  readonly path: string
  readonly title: string
  readonly author: string
  readonly publishedAt: Date
  readonly updatedAt: Date
  readonly html: string
}

const SIZE = 15

interface Row {
  readonly kind: 'announcements' | 'faq'
  readonly id: number
  readonly title: string
  readonly body: string
  readonly author: string
  readonly slug: string
  readonly publishedAt: Date
  readonly updatedAt: Date
}

/** The latest announcements and shown texts of the FAQ: of one public course, or of all. Indexes announcements_published, faq_entries_listed. */
export async function latestNotices(db: Database, courseId: number | null): Promise<NoticeEntry[]> {
  const within = courseId === null ? sql`true` : sql`course.id = ${courseId}`
  const { rows } = await sql<Row>`
    (select 'announcements' as kind, news.id, news.title, news.body, author.display_name as author, course.slug,
        news.published_at as "publishedAt", coalesce(news.edited_at, news.published_at) as "updatedAt"
      from announcements as news join courses as course on course.id = news.course_id
        join people as author on author.id = news.author_id
      where ${visibleTo(null)} and ${within} order by news.published_at desc, news.id desc limit ${SIZE})
    union all
    (select 'faq', entry.id, entry.title, entry.body, course.title, course.slug, entry.changed_at, entry.changed_at
      from faq_entries as entry join courses as course on course.id = entry.course_id
      where entry.title is not null and entry.state = 'shown' and ${visibleTo(null)} and ${within}
      order by entry.changed_at desc, entry.id desc limit ${SIZE})`.execute(db)
  const texts = await prepareMarkdown(rows.map(({ body }) => body))
  return rows.map(({ kind, id, title, body: _, slug, ...row }, index) => ({
    ...row,
    id: `/${kind}/${id}`,
    path: kind === 'faq' ? `${faqPath(slug)}#faq-${id}` : announcementPath({ id, title }),
    title,
    html: texts[index]?.html ?? '',
  }))
}
