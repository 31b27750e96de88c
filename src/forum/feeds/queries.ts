import { sql } from 'kysely'
import { FIRST_PAGE } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import { readableCourses, visibleTo } from '../../rights/visibility.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { announcementPath, faqPath } from '../../web/paths.ts'
import type { AuthorRow } from '../authors/byline.ts'
import { sealedName } from '../authors/sealed-name.ts'
import { NEWEST, placesQuery, scopeOf } from '../questions/list-filter.ts'

/** What a feed tells of a post. Feeds are for everybody: only public courses are in them. */
export interface FeedRow extends Omit<AuthorRow, 'author_role'> {
  readonly id: number
  readonly question_id: number
  readonly title: string
  readonly course_id: number
  readonly body_html: string
  readonly written_at: Date
  readonly edited_at: Date | null
}

const SIZE = 30

/** The latest questions of public courses, of one course or with one tag or all: the beginning of the list of the same. */
export async function latestQuestions(
  db: Database,
  scope: { readonly courseId?: number; readonly tagId?: number },
): Promise<FeedRow[]> {
  const filter = { ...NEWEST, ...scope }
  const places = placesQuery(await scopeOf(db, filter, await readableCourses(db, null)), FIRST_PAGE, SIZE)
  return db
    .selectFrom(sql<{ id: number }>`(${places})`.as('place'))
    .innerJoin('questions as q', 'q.id', 'place.id')
    .innerJoin('people as author', 'author.id', 'q.author_id')
    .select([
      'q.id',
      'q.id as question_id',
      'q.title',
      'q.course_id',
      'author.id as author_id',
      sealedName('author.display_name').as('author_name'),
      'q.body_html',
      'q.written_at',
      'q.edited_at',
      'q.is_anonymous',
    ])
    .orderBy('q.written_at', 'desc')
    .orderBy('q.id', 'desc')
    .execute()
}

export function latestAnswers(db: Database, questionId: number): Promise<FeedRow[]> {
  return db
    .selectFrom('answers as a')
    .innerJoin('questions as q', 'q.id', 'a.question_id')
    .innerJoin('people as author', 'author.id', 'a.author_id')
    .leftJoin('stand_ins as stand_in', (join) =>
      join.onRef('stand_in.question_id', '=', 'q.id').onRef('stand_in.person_id', '=', 'a.author_id'),
    )
    .select([
      'a.id',
      'q.id as question_id',
      'q.title',
      'q.course_id',
      'author.id as author_id',
      sealedName('author.display_name').as('author_name'),
      'a.body_html',
      'a.written_at',
      'a.edited_at',
      'a.is_anonymous',
      'stand_in.number as stand_in',
    ])
    .where('a.question_id', '=', questionId)
    .where('a.is_shown', '=', true)
    .orderBy('a.written_at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(SIZE)
    .execute()
}

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

const NOTICES_SIZE = 15

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
      where ${visibleTo(null)} and ${within} order by news.published_at desc, news.id desc limit ${NOTICES_SIZE})
    union all
    (select 'faq', entry.id, entry.title, entry.body, course.title, course.slug, entry.changed_at, entry.changed_at
      from faq_entries as entry join courses as course on course.id = entry.course_id
      where entry.title is not null and entry.state = 'shown' and ${visibleTo(null)} and ${within}
      order by entry.changed_at desc, entry.id desc limit ${NOTICES_SIZE})`.execute(db)
  const texts = await prepareMarkdown(rows.map(({ body }) => body))
  return rows.map(({ kind, id, title, body: _, slug, ...row }, index) => ({
    ...row,
    id: `/${kind}/${id}`,
    path: kind === 'faq' ? `${faqPath(slug)}#faq-${id}` : announcementPath({ id, title }),
    title,
    html: texts[index]?.html ?? '',
  }))
}
