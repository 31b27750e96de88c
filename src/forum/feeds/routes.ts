import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../operations/problem.ts'
import { isVisible } from '../../rights/visibility.ts'
import { escapeText } from '../../text/escape.ts'
import { languageOfPost } from '../../text/language.ts'
import { excerpt } from '../../text/plain.ts'
import { describedPictures } from '../../web/described-pictures.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { answerPath, coursePath, questionPath, tagPath } from '../../web/paths.ts'
import { bylineOf } from '../authors/byline.ts'
import { findCourse } from '../courses/queries.ts'
import { findQuestion } from '../posts/find.ts'
import { findTag } from '../tags/queries.ts'
import { type FeedRow, latestAnswers, latestNotices, latestQuestions, type NoticeEntry } from './queries.ts'

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
