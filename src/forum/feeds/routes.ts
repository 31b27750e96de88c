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
import { languageOfRequest, translatorFor } from '../../web/appearance.ts'
import { describedPictures } from '../../web/described-pictures.ts'
import { idParam, textParam } from '../../web/params.ts'
import { announcementPath, answerPath, coursePath, faqPath, questionPath, tagPath } from '../../web/paths.ts'
import { bylineOf } from '../authors/byline.ts'
import { findCourse } from '../courses/queries.ts'
import { findQuestion } from '../posts/find.ts'
import { type AnswerRecord, answerRecords } from '../posts/records.ts'
import { NEWEST } from '../reading/list-filter.ts'
import { listQuestionRecords, type QuestionRecord } from '../reading/records.ts'
import { findTag } from '../tags/queries.ts'

export function registerFeeds(app: FastifyInstance): void {
  // Everybody's, also for caches in between: in the language the request asks for, not in a reader's own.
  const config = { isPublic: true }
  app.get('/feed.atom', { config }, async (request, reply) => {
    const source = { title: translatorFor(request)('feeds.all'), path: '/feed.atom', page: '/questions' }
    const notices = await latestNotices(app.db, null)
    return send(request, reply, source, [...notices, ...(await latestQuestions(request, {}))])
  })
  app.get('/courses/:course/feed.atom', { config }, async (request, reply) => {
    const course = await findCourse(app.db, textParam(request, 'course'))
    if (course === null || !isVisible(null, course)) throw notFound()
    const page = coursePath(course.slug)
    const questions = await latestQuestions(request, { courseId: course.id })
    const notices = await latestNotices(app.db, course.id)
    const source = { title: course.title, path: `${page}/feed.atom`, page }
    return send(request, reply, source, [...notices, ...questions])
  })
  app.get('/tags/:tag/feed.atom', { config }, async (request, reply) => {
    const tag = await findTag(app.db, null, textParam(request, 'tag'))
    if (tag === null) throw notFound()
    const page = tagPath(tag.name)
    const source = { title: tag.name, path: `${page}/feed.atom`, page }
    return send(request, reply, source, await latestQuestions(request, { tagId: tag.id }))
  })
  app.get('/questions/:id/feed.atom', { config }, async (request, reply) => {
    const question = await findQuestion(app.db, null, idParam(request, 'id'), 'read')
    const { id, title } = question
    const latest = { after: null, sort: 'newest', size: SIZE - 1 } as const
    const answers = await answerRecords.list(app.db, null, { answersOf: id }, latest)
    const entries = answers.map((row) =>
      entryOf(request, row, {
        id: `/questions/${id}#answer-${row.id}`,
        path: answerPath(question, row.id),
        title,
      }),
    )
    const source = { title, path: `/questions/${id}/feed.atom`, page: questionPath(question) }
    return send(request, reply, source, entries)
  })
}

/** Bytes of the texts of a feed; beyond them only the beginnings are in it. */
const MAX_BYTES = 1_000_000
const BEGINNING = 500

/** Form feeds, which Markdown may write as `&#12;`, are a blank in HTML and nothing that XML 1.0 can hold. */
const FORM_FEED = /\f/g

interface Entry {
  /** For good, as readers tell what is new by it: without the title, which may be edited. */
  readonly id: string
  readonly path: string
  readonly title: string
  readonly author: string
  readonly published: Date
  readonly updated: Date
  readonly html: string
}

/** What a feed is of. `path`: its own, however it was asked for; `page`: where a person reads the same. */
type Source = Record<'title' | 'path' | 'page', string>

function send(request: FastifyRequest, reply: FastifyReply, source: Source, entries: readonly Entry[]) {
  const feed = feedOf(request, source, entries)
  reply.header('cache-control', 'public, max-age=300').header('vary', 'accept-language')
  return reply.document('/feeds/atom', feed, 'application/atom+xml; charset=utf-8')
}

export function feedOf(request: FastifyRequest, { title, path, page }: Source, entries: readonly Entry[]) {
  const readable = (html: string) =>
    describedPictures(html.replace(FORM_FEED, ' '), languageOfPost(html), translatorFor(request))
  const { baseUrl } = request.server.config
  let bytes = 0
  /** The newest come whole first. */
  const cut = (html: string) => {
    bytes += Buffer.byteLength(html)
    if (bytes <= MAX_BYTES) return html
    bytes -= Buffer.byteLength(html)
    return `<p>${escapeText(excerpt(html, BEGINNING))}</p>`
  }
  return {
    lang: languageOfRequest(request),
    title: `${title} · Handup`,
    selfUrl: `${baseUrl}${path}`,
    pageUrl: `${baseUrl}${page}`,
    // A feed without entries has changed when time began: the element is required.
    updated: new Date(Math.max(0, ...entries.map(({ updated }) => updated.getTime()))).toISOString(),
    entries: entries
      .toSorted((one, other) => other.published.getTime() - one.published.getTime())
      .map((entry) => ({
        ...entry,
        id: `${baseUrl}${entry.id}`,
        url: `${baseUrl}${entry.path}`,
        published: entry.published.toISOString(),
        updated: entry.updated.toISOString(),
        html: cut(readable(entry.html)),
      })),
  }
}

function entryOf(
  request: FastifyRequest,
  row: QuestionRecord | AnswerRecord,
  place: Pick<Entry, 'id' | 'path' | 'title'>,
): Entry {
  return {
    ...place,
    author: bylineOf({ t: translatorFor(request), viewer: null }, row, row.course_id).text,
    published: row.written_at,
    updated: row.edited_at ?? row.written_at,
    html: row.body_html,
  }
}

/** Posts of a feed. Feeds are for everybody: only public courses are in them. */
const SIZE = 30

/**
 * The latest questions of public courses, of one course or with one tag or all: the beginning of the list of the same, without those that
 * an import brought, which aren't news.
 */
async function latestQuestions(
  request: FastifyRequest,
  scope: { readonly courseId?: number; readonly tagId?: number },
): Promise<Entry[]> {
  const { db } = request.server
  const filter = { ...NEWEST, ...scope }
  const readable = await readableCourses(db, null)
  const rows = await listQuestionRecords(db, null, filter, FIRST_PAGE, SIZE - 1, readable)
  const asked = rows.filter((row) => !row.is_imported)
  return asked.map(({ id, title, ...row }) => {
    const place = { id: `/questions/${id}`, path: questionPath({ id, title }), title }
    // As in lists, a stand-in name stands alone.
    return entryOf(request, { ...row, id, title, stand_in: null }, place)
  })
}

const NOTICES_SIZE = 15

/** The latest announcements and shown texts of the FAQ: of one public course, or of all. Indexes announcements_published, faq_entries_listed. */
async function latestNotices(db: Database, courseId: number | null): Promise<Entry[]> {
  const within = courseId === null ? sql`true` : sql`course.id = ${courseId}`
  const { rows } = await sql<
    Pick<Entry, 'title' | 'author' | 'published' | 'updated'> & {
      kind: 'announcements' | 'faq'
      id: number
      body: string
      slug: string
    }
  >`
    (select 'announcements' as kind, news.id, news.title, news.body, author.display_name as author, course.slug,
        news.published_at as published, coalesce(news.edited_at, news.published_at) as updated
      from announcements as news join courses as course on course.id = news.course_id
        join people as author on author.id = news.author_id
      where ${visibleTo(null)} and ${within}
        and not exists (select from imported_things where announcement_id = news.id) order by news.published_at desc, news.id desc limit ${NOTICES_SIZE})
    union all
    (select 'faq', entry.id, entry.title, entry.body, course.title, course.slug, entry.changed_at, entry.changed_at
      from faq_entries as entry join courses as course on course.id = entry.course_id
      where entry.title is not null and entry.state = 'shown' and ${visibleTo(null)} and ${within}
        and not exists (select from imported_things where faq_entry_id = entry.id)
      order by entry.changed_at desc, entry.id desc limit ${NOTICES_SIZE})`.execute(db)
  const texts = await prepareMarkdown(rows.map(({ body }) => body))
  return rows.map(({ kind, id, slug, ...row }, index) => ({
    ...row,
    id: `/${kind}/${id}`,
    path: kind === 'faq' ? `${faqPath(slug)}#faq-${id}` : announcementPath({ id, title: row.title }),
    html: texts[index]?.html ?? '',
  }))
}
