import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { languageOf } from '../../text/language.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { translatorFor } from '../../web/appearance.ts'
import { type PageContext, page } from '../../web/page.ts'
import { type Address, queryParam } from '../../web/params.ts'
import { coursePath, faqPath, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import { courseParam } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { countFacets, facetsOf, NOTHING_BESIDE } from './candidates.ts'
import { FoundQuestions } from './found-questions.ts'
import { SEARCH } from './index-question.ts'
import { signOfResult } from './learning/signals.ts'
import { noticesFor, noticeView } from './notices.ts'
import { parseQuery, type SearchQuery } from './query.ts'
import { facetViews, markedWords, resultView } from './results.ts'
import { MAX_HITS, type SearchResult, search, speltBetter } from './search.ts'
import { RelatedQuestions } from './similar/related.ts'
import { findSimilar } from './similar/similar.ts'
import { similarViews } from './similar/similar-view.ts'
import { meantBy } from './spelling.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly foundQuestions: FoundQuestions
    readonly related: RelatedQuestions
  }
}

const PAGE_SIZE = 20
const MAX_SUGGESTIONS = 6
const MAX_TAGS = 3

export function registerSearch(app: FastifyInstance): void {
  app.decorate('foundQuestions', new FoundQuestions(app.db, app.changes))
  app.get('/search', { config: { limit: 'search' } }, async (request, reply) => {
    const query = parseQuery(queryParam(request, 'q') ?? '')
    const course = query.filters.course === null ? await courseParam(request) : null
    return query.text === '' ? showStart(request, reply, course) : showSearch(request, reply, query, course)
  })

  app.get('/search/suggestions', { config: { limit: 'suggestions' } }, async (request, reply) => {
    const t = translatorFor(request)
    const query = parseQuery(await meantBy(app.db, request.person, queryParam(request, 'q') ?? ''))
    const course = query.filters.course ?? (await courseParam(request))?.slug
    const readable = await app.courses.readable(request.person, course)
    const { hits, found } = await search(app.db, request.person, query, {
      readable,
      size: MAX_SUGGESTIONS,
      isSpelt: true,
      beside: { facets: countFacets, notices: NOTHING_BESIDE.notices },
    })
    const questions = hits.map((hit) => ({
      text: hit.title,
      path: questionPath(hit),
      lang: languageOf(hit.title),
      note: hit.status === 'resolved' ? t('status.resolved') : null,
    }))
    const tags = facetsOf(found.facets)
      .tags.filter(({ name }) => query.words.some((word) => isBegun(name, word)))
      .slice(0, MAX_TAGS)
      .map(({ name }) => ({ text: name, path: tagPath(name), lang: null, note: t('search.tag') }))
    return reply
      .header('cache-control', 'private, max-age=30')
      .header('vary', 'accept-language, cookie')
      .send({ suggestions: [...questions, ...tags] })
  })
}

function isBegun(tag: string, word: string): boolean {
  return tag.split('-').some((part) => part.startsWith(tagNameOf(word)))
}

/** `course`: that the search was sent from, to which it is narrowed; null: none, or the query names one itself. */
export const showSearch = page(
  'search/index',
  { robots: 'noindex', script: 'searching' },
  async (context, query: SearchQuery, course: Course | null) => {
    const { t, db, server, viewer } = context
    const { text, subject, filters } = query
    // People who search for what they have just posted find it.
    await server.jobs.caughtUp(SEARCH)
    const number = pageNumber(context)
    const slug = filters.course ?? course?.slug ?? null
    const readable = await server.courses.readable(viewer, slug)
    // One more than are shown tells whether there is another page.
    const size = Math.min(MAX_HITS, number * PAGE_SIZE + 1)
    const narrowed = { ...query, filters: { ...filters, course: slug } }
    const notices = number === 1 ? noticesFor(viewer, narrowed) : NOTHING_BESIDE.notices
    const isSpelt = queryParam(context, 'spelling') === AS_TYPED
    const beside = { facets: countFacets, notices }
    const options = { readable, size, beside, byMeaning: true, isSpelt }
    const asTyped = await search(db, viewer, query, options)
    const spelt = await speltBetter(db, viewer, query, asTyped, options)
    const result = spelt?.isShown ? spelt.result : asTyped
    const first = (number - 1) * PAGE_SIZE
    const shown = result.hits.slice(first, first + PAGE_SIZE)
    const hits = await server.foundQuestions.find(shown.map((hit) => hit.id))
    const marked = markedWords(result.query)
    const looseFrom = looseOnPage(result.looseFrom, first, shown.length)
    const loose = new Set(looseFrom === null ? [] : shown.slice(looseFrom).map(({ id }) => id))
    // What was looked for, sent with what somebody signed in opens: public/js/openings.js. null: nothing is sent.
    const opened = viewer === null || hits.length === 0 ? null : result.query.subject || null
    const signOf = (questionId: number) =>
      viewer === null || opened === null
        ? null
        : signOfResult(server.secretKeys[0], { questionId, personId: viewer.id, subject: opened })
    const linkTo = (q: string, spelling: string | null, page = 1) =>
      pathWith('/search', { q, spelling, page: page === 1 ? null : page, course: course?.slug ?? null })
    const spelling = isSpelt ? AS_TYPED : null
    return {
      title: titleOf(t, text, result, number),
      query: text,
      course: course === null ? null : searchedCourse(course, text),
      inAll: course === null ? null : await foundInAll(context, spelt?.isShown ? spelt.query : query, result),
      notices: (result.found.notices ?? []).map(noticeView),
      results: hits.map((hit) =>
        resultView(context, hit, loose.has(hit.id) ? marked.standing : marked.any, signOf(hit.id)),
      ),
      facets: facetViews(t, query, course?.slug ?? null, facetsOf(result.found.facets)),
      count: result.count,
      isMore: result.isMore,
      looseFrom,
      unknownFilters: query.unknownFilters,
      // As others spell it. Where nothing has the words as typed, its results are shown, and `typedPath` leads back.
      better: spelt && {
        text: spelt.query.text,
        path: linkTo(spelt.query.text, null),
        typedPath: spelt.isShown ? linkTo(text, AS_TYPED) : null,
      },
      newerPath: number > 1 ? linkTo(text, spelling, number - 1) : null,
      olderPath: result.hits.length > first + PAGE_SIZE ? linkTo(text, spelling, number + 1) : null,
      opened,
      head: {
        course: filters.course,
        ask: { title: subject || null, lecture: filters.lecture, tags: filters.tags.join(', ') || null },
      },
    }
  },
)

/** With the number of results: it is the first thing that is read of the page that comes. */
function titleOf(t: Translate, query: string, { count, isMore }: SearchResult, page: number): string {
  const found = t(isMore ? 'search.countMore' : 'search.count', { count })
  const parts = [t('search.titleFor', { query }), found, ...(page > 1 ? [t('search.page', { page })] : [])]
  return parts.join(' · ')
}

/** What is asked for by this value of `spelling` is not corrected. */
const AS_TYPED = 'as-typed'

/** Where on this page hits begin that lack some words. */
function looseOnPage(looseFrom: number | null, first: number, size: number): number | null {
  if (looseFrom === null || looseFrom >= first + size) return null
  return Math.max(0, looseFrom - first)
}

/** Results are ranked as a whole and cut into a few pages: MAX_HITS of them, no cursor needed. */
function pageNumber(address: Pick<Address, 'query'>): number {
  const asked = Number(queryParam(address, 'page') ?? '1')
  return Number.isInteger(asked) && asked >= 1 && asked <= MAX_HITS / PAGE_SIZE ? asked : 1
}

/** Similar questions while a title is typed, as JSON for public/js/similar.js; without it the preview shows them. */
export function registerSimilar(app: FastifyInstance): void {
  app.decorate('related', new RelatedQuestions(app.db, app.changes))
  app.get('/questions/similar', { config: { limit: 'suggestions' } }, async (request, reply) => {
    const title = (queryParam(request, 'title') ?? '').slice(0, 300)
    const course = await courseParam(request)
    const to = { title, body: '', tags: [], courseId: course?.id ?? null, exceptId: null }
    const courses = await app.courses.readable(request.person, course?.slug ?? null)
    const similar =
      title.length < 3 ? [] : await findSimilar(app.db, request.person, to, courses, app.foundQuestions)
    const count = similar.length
    const told = count === 0 ? '' : translatorFor(request)('similar.count', { count })
    return reply
      .header('cache-control', 'private, max-age=30')
      .header('vary', 'accept-language, cookie')
      .send({ similar: similarViews(similar, request.person), told })
  })
}

const MAX_COUNTED = 200

/** The page before anything is typed. `course`: the one that is searched; null: all. */
export const showStart = page(
  'search/start',
  { script: 'searching' },
  async ({ t, db, server, viewer }, course: Course | null) => {
    const list = course === null ? '/questions' : coursePath(course.slug)
    // `count`: how much there is, null: nobody counts; `slot`: of web/own-parts.ts, the viewer's own number.
    const unanswered = {
      icon: 'clock',
      text: t(course === null ? 'search.door.unanswered' : 'search.door.inCourse'),
      path: pathWith(list, { status: 'unanswered' }),
      count: course === null ? null : (await server.asides.of(course.id)).waitingCount,
      slot: null,
    }
    const slot = `mine.${course?.id ?? 'all'}`
    const own = { icon: 'hand', text: t('layout.ownQuestions'), path: pathWith(list, { mine: 1 }), slot }
    const faq = course && {
      icon: 'book',
      text: t('courses.bar.faq'),
      path: faqPath(course.slug),
      count: await faqCount(db, course.id),
      slot: null,
    }
    return {
      title: t('search.title'),
      course: course && searchedCourse(course, null),
      doors: [
        unanswered,
        ...(viewer === null ? [] : [{ ...own, count: null }]),
        ...(faq === null ? [] : [faq]),
      ],
    }
  },
)

/** How many entries readers see, MAX_COUNTED at most. Index faq_entries_listed. */
async function faqCount(db: Database, courseId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from faq_entries as entry left join questions as q on q.id = entry.question_id
      where entry.course_id = ${courseId} and entry.state = 'shown' and (entry.question_id is null or q.is_listed)
      limit ${sql.lit(MAX_COUNTED)}) as shown`.execute(db)
  return rows[0]?.count ?? 0
}

/** The course that is searched; `allPath` leads to the same in all courses. @param q what is searched for; null: nothing yet */
export function searchedCourse({ title, language }: Course, q: string | null) {
  return { title, lang: language, allPath: pathWith('/search', { q }) }
}

/** The way out of a course: what the same search finds in all courses, as it counts there; null: no more than `here`. */
async function foundInAll({ db, server, viewer }: PageContext, query: SearchQuery, here: SearchResult) {
  const readable = await server.courses.readable(viewer)
  if (readable.ids.length < 2) return null
  const options = { readable, size: 1, isSpelt: true }
  const { count, isMore, looseFrom } = await search(db, viewer, query, options)
  const hasAllWords = here.looseFrom === 0 && count > 0 && looseFrom === null
  if (count <= here.count && !hasAllWords) return null
  return { count, isMore, path: pathWith('/search', { q: query.text }) }
}
