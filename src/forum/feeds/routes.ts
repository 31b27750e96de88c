import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { FIRST_PAGE } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { isVisible, readableCourses, visibleTo } from '../../kernel/rights/visibility.ts'
import { escapeText } from '../../text/escape.ts'
import { languageOfPost } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { excerpt } from '../../text/plain.ts'
import { describedPictures } from '../../web/described-pictures.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { announcementPath, answerPath, coursePath, faqPath, questionPath, tagPath } from '../../web/paths.ts'
import { type AuthorRow, bylineOf } from '../authors/byline.ts'
import { sealedName } from '../authors/sealed-name.ts'
import { findCourse } from '../courses/queries.ts'
import { findQuestion } from '../posts/find.ts'
import { NEWEST, placesQuery, scopeOf } from '../reading/list-filter.ts'
import { findTag } from '../tags/queries.ts'

/** A feed as views/feeds/atom.eta writes it (RFC 4287). Addresses are absolute. */
export interface Feed {
  readonly lang: string
  readonly title: string
  readonly selfUrl: string
  readonly pageUrl: string
  readonly updated: string
  readonly entries: readonly {
    /** For good, as readers tell what is new by it: without the title, which may be edited. */
    readonly id: string
    readonly url: string
    readonly title: string
    readonly author: string
    readonly published: string
    readonly updated: string
    readonly html: string
  }[]
}

export function registerFeeds(app: FastifyInstance): void {
  // Everybody's, also for caches in between: in the language the request asks for, not in a reader's own.
  const config = { isPublic: true }
  app.get('/feed.atom', { config }, async (request, reply) => {
    const t = translatorFor(request)
    const rows = await latestQuestions(app.db, {})
    return send(request, reply, {
      title: t('feeds.all'),
      path: '/feed.atom',
      page: '/questions',
      rows,
      notices: await latestNotices(app.db, null),
    })
  })
  app.get('/courses/:course/feed.atom', { config }, async (request, reply) => {
    const course = await findCourse(app.db, textParam(request, 'course'))
    if (course === null || !isVisible(null, course)) throw notFound()
    const page = coursePath(course.slug)
    const rows = await latestQuestions(app.db, { courseId: course.id })
    const notices = await latestNotices(app.db, course.id)
    return send(request, reply, { title: course.title, path: `${page}/feed.atom`, page, rows, notices })
  })
  app.get('/tags/:tag/feed.atom', { config }, async (request, reply) => {
    const tag = await findTag(app.db, null, textParam(request, 'tag'))
    if (tag === null) throw notFound()
    const page = tagPath(tag.name)
    const rows = await latestQuestions(app.db, { tagId: tag.id })
    return send(request, reply, { title: tag.name, path: `${page}/feed.atom`, page, rows })
  })
  app.get('/questions/:id/feed.atom', { config }, async (request, reply) => {
    const question = await findQuestion(app.db, null, idParam(request, 'id'), 'read')
    const rows = await latestAnswers(app.db, question.id)
    const path = `/questions/${question.id}/feed.atom`
    const source = { title: question.title, path, page: questionPath(question), rows }
    return send(request, reply, source, {
      id: (row) => `/questions/${row.question_id}#answer-${row.id}`,
      page: (row) => answerPath(question, row.id),
    })
  })
}

interface Source {
  readonly title: string
  /** The feed's own, however it was asked for. */
  readonly path: string
  /** Where a person reads the same. */
  readonly page: string
  readonly rows: readonly FeedRow[]
  readonly notices?: readonly NoticeEntry[]
}

interface EntryPaths {
  readonly id: (row: FeedRow) => string
  readonly page: (row: FeedRow) => string
}

const QUESTION_PATHS: EntryPaths = {
  id: (row) => `/questions/${row.question_id}`,
  page: (row) => questionPath({ id: row.question_id, title: row.title }),
}

/** Bytes of the texts of a feed; beyond them only the beginnings are in it. */
const MAX_BYTES = 1_000_000
const BEGINNING = 500

/** Form feeds, which Markdown may write as `&#12;`, are a blank in HTML and nothing that XML 1.0 can hold. */
const FORM_FEED = /\f/g

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, path, page, rows, notices = [] }: Source,
  paths = QUESTION_PATHS,
) {
  const readable = (html: string) =>
    describedPictures(html.replace(FORM_FEED, ' '), languageOfPost(html), translatorFor(request))
  const { baseUrl } = request.server.config
  const visiting = { t: translatorFor(request), viewer: null }
  const changes = [
    ...rows.map((row) => (row.edited_at ?? row.written_at).getTime()),
    ...notices.map((notice) => notice.updatedAt.getTime()),
  ]
  let bytes = 0
  /** The newest come whole first. */
  const cut = <Entry extends { readonly html: string }>(entry: Entry): Entry => {
    bytes += Buffer.byteLength(entry.html)
    if (bytes <= MAX_BYTES) return entry
    bytes -= Buffer.byteLength(entry.html)
    return { ...entry, html: `<p>${escapeText(excerpt(entry.html, BEGINNING))}</p>` }
  }
  const feed: Feed = {
    lang: languageOfRequest(request),
    title: `${title} · Handup`,
    selfUrl: `${baseUrl}${path}`,
    pageUrl: `${baseUrl}${page}`,
    // A feed without entries has changed when time began: the element is required.
    updated: new Date(Math.max(0, ...changes)).toISOString(),
    entries: [
      ...notices.map((notice) => ({
        id: `${baseUrl}${notice.id}`,
        url: `${baseUrl}${notice.path}`,
        title: notice.title,
        author: notice.author,
        published: notice.publishedAt.toISOString(),
        updated: notice.updatedAt.toISOString(),
        html: readable(notice.html),
      })),
      ...rows.map((row) => ({
        id: `${baseUrl}${paths.id(row)}`,
        url: `${baseUrl}${paths.page(row)}`,
        title: row.title,
        author: bylineOf(visiting, { ...row, author_role: null }, row.course_id).text,
        published: row.written_at.toISOString(),
        updated: (row.edited_at ?? row.written_at).toISOString(),
        html: readable(row.body_html),
      })),
    ]
      .sort((one, other) => other.published.localeCompare(one.published))
      .map(cut),
  }
  reply.header('cache-control', 'public, max-age=300').header('vary', 'accept-language')
  return reply.document('feeds/atom', feed, 'application/atom+xml; charset=utf-8')
}

/** What a feed tells of a post. Feeds are for everybody: only public courses are in them. */
interface FeedRow extends Omit<AuthorRow, 'author_role'> {
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
async function latestQuestions(
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

function latestAnswers(db: Database, questionId: number): Promise<FeedRow[]> {
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
interface NoticeEntry {
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
async function latestNotices(db: Database, courseId: number | null): Promise<NoticeEntry[]> {
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
