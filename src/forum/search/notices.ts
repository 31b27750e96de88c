import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import { announcementPath, faqPath } from '../../web/paths.ts'
import { tsquery } from './document.ts'
import { isNarrowed, matchOf, type SearchQuery } from './query.ts'

const MAX_NOTICES = 4

export interface NoticeRow {
  readonly kind: 'announcement' | 'faq'
  readonly id: number
  readonly title: string
  readonly slug: string
}

/**
 * Announcements, newest first, and shown texts of the FAQ, as a JSON array of NoticeRow. A search by tag, lecture, author or
 * state is for questions: it has none.
 */
export function noticesFor(viewer: Actor | null, query: SearchQuery): RawBuilder<readonly NoticeRow[]> {
  const { course } = query.filters
  if (isNarrowed(query.filters) || query.groups.length + query.phrases.length === 0) return sql`'[]'::json`
  const match = matchOf(query)
  const within: RawBuilder<unknown> = course === null ? sql`true` : sql`course.slug = ${course}`
  return sql`(select coalesce(json_agg(notice), '[]') from (
    (select 'announcement' as kind, news.id, news.title, course.slug
      from announcements as news join courses as course on course.id = news.course_id
      where news.terms @@ ${tsquery(match)} and ${visibleTo(viewer)} and ${within}
      order by news.published_at desc limit ${MAX_NOTICES})
    union all
    (select 'faq', entry.id, entry.title, course.slug
      from faq_entries as entry join courses as course on course.id = entry.course_id
      where entry.terms @@ ${tsquery(match)} and entry.state = 'shown' and ${visibleTo(viewer)} and ${within}
      order by entry.id desc limit ${MAX_NOTICES})) as notice)`
}

export function noticeView({ kind, id, title, slug }: NoticeRow) {
  const path = kind === 'announcement' ? announcementPath({ id, title }) : `${faqPath(slug)}#faq-${id}`
  return { kind, title, path }
}
