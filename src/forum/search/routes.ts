import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { languageOf } from '../../text/language.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { translatorFor } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
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
import { MAX_HITS, type SearchOptions, type SearchResult, search } from './search.ts'
import { RelatedQuestions } from './similar/related.ts'
import { findSimilar } from './similar/similar.ts'
import { similarViews } from './similar/similar-view.ts'
import { corrected, correctionsOf, meantBy } from './spelling.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly foundQuestions: FoundQuestions
    readonly related: RelatedQuestions
  }
}

const PAGE_SIZE = 20
const MAX_SUGGESTIONS = 6
const MAX_TAGS = 3

export function registerSearch(app: FastifyInstance, secret: string): void {
  app.decorate('foundQuestions', new FoundQuestions(app.db, app.changes))
  app.get('/search', { config: { limit: 'search' } }, (request, reply) => showSearch(request, reply, secret))

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

async function showSearch(request: FastifyRequest, reply: FastifyReply, secret: string) {
  const query = parseQuery(queryParam(request, 'q') ?? '')
  const course = query.filters.course === null ? await courseParam(request) : null
  if (query.text === '') return showStart(request, reply, course)
  const { subject, filters } = query
  const ask = { title: subject || null, lecture: filters.lecture, tags: filters.tags.join(', ') || null }
  const head = { robots: 'noindex', course: filters.course, ask, script: 'searching' } as const
  return reply.page('search/index', await searchPage(request, query, course, secret), head)
}

/** @param course that the search was sent from, to which it is narrowed; null: none, or the query names one itself */
export async function searchPage(
  request: FastifyRequest,
  query: SearchQuery,
  course: Course | null,
  secret: string,
) {
  const { db, jobs, courses, foundQuestions } = request.server
  // People who search for what they have just posted find it.
  await jobs.caughtUp(SEARCH)
  const t = translatorFor(request)
  const page = pageNumber(request)
  const slug = query.filters.course ?? course?.slug ?? null
  const readable = await courses.readable(request.person, slug)
  // One more than are shown tells whether there is another page.
  const size = Math.min(MAX_HITS, page * PAGE_SIZE + 1)
  const narrowed = { ...query, filters: { ...query.filters, course: slug } }
  const notices = page === 1 ? noticesFor(request.person, narrowed) : NOTHING_BESIDE.notices
  const beside = { facets: countFacets, notices }
  const isSpelt = queryParam(request, 'spelling') === AS_TYPED
  const options = { readable, size, beside, byMeaning: true, isSpelt }
  const asTyped = await search(db, request.person, query, options)
  const spelt = await speltBetter(request, query, asTyped, options)
  const result = spelt?.isShown ? spelt.result : asTyped
  const looked = result.query
  const shown = result.hits.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  const hits = await foundQuestions.find(shown.map((hit) => hit.id))
  const marked = markedWords(looked)
  const loose = new Set(
    result.looseFrom === null ? [] : result.hits.slice(result.looseFrom).map(({ id }) => id),
  )
  const { person } = request
  // What was looked for, sent with what somebody signed in opens: public/js/openings.js. null: nothing is sent.
  const opened = person === null || hits.length === 0 ? null : looked.subject || null
  const signOf = ({ id: questionId }: { readonly id: number }) =>
    person === null || opened === null
      ? null
      : signOfResult(secret, { questionId, personId: person.id, subject: opened })
  const linkTo = (q: string, spelling: string | null, number = 1) =>
    pathWith('/search', { q, spelling, page: number === 1 ? null : number, course: course?.slug ?? null })
  const spelling = isSpelt ? AS_TYPED : null
  return {
    title: titleOf(t, query.text, result, page),
    query: query.text,
    course: course === null ? null : searchedCourse(course, query.text),
    inAll: course === null ? null : await foundInAll(request, spelt?.isShown ? spelt.query : query, result),
    notices: (result.found.notices ?? []).map(noticeView),
    results: hits.map((hit) =>
      resultView({ t, viewer: person }, hit, loose.has(hit.id) ? marked.standing : marked.any, signOf(hit)),
    ),
    facets: facetViews(t, query, course?.slug ?? null, facetsOf(result.found.facets)),
    count: result.count,
    isMore: result.isMore,
    looseFrom: looseOnPage(result.looseFrom, (page - 1) * PAGE_SIZE, shown.length),
    unknownFilters: query.unknownFilters,
    // As others spell it. Where nothing has the words as typed, its results are shown, and `typedPath` leads back.
    better: spelt && {
      text: spelt.query.text,
      path: linkTo(spelt.query.text, null),
      typedPath: spelt.isShown ? linkTo(query.text, AS_TYPED) : null,
    },
    newerPath: page > 1 ? linkTo(query.text, spelling, page - 1) : null,
    olderPath: result.hits.length > page * PAGE_SIZE ? linkTo(query.text, spelling, page + 1) : null,
    opened,
  }
}

/** With the number of results: it is the first thing that is read of the page that comes. */
function titleOf(t: Translate, query: string, { count, isMore }: SearchResult, page: number): string {
  const found = t(isMore ? 'search.countMore' : 'search.count', { count })
  const parts = [t('search.titleFor', { query }), found, ...(page > 1 ? [t('search.page', { page })] : [])]
  return parts.join(' · ')
}

/** What is asked for by this value of `spelling` is not corrected. */
const AS_TYPED = 'as-typed'
/** With fewer questions that have all the words one of them may be misspelt. */
const FEW = 3

/** The search as others spell its words, where that finds more; null: it does not. Shown at once where nothing has the words typed. */
async function speltBetter(
  request: FastifyRequest,
  query: SearchQuery,
  asTyped: SearchResult,
  options: SearchOptions & { readonly isSpelt: boolean },
) {
  const found = asTyped.looseFrom ?? asTyped.count
  if (found >= FEW) return null
  const { db } = request.server
  const corrections = asTyped.corrections ?? (await correctionsOf(db, request.person, query.text))
  const text = corrected(query.text, corrections)
  if (text === null) return null
  const better = parseQuery(text)
  const result = await search(db, request.person, better, { ...options, isSpelt: true })
  const isShown = found === 0 && !options.isSpelt
  const findsMore = (result.looseFrom ?? result.count) > found
  // Questions with some of the words were found by those that were meant: the page says so.
  const isCorrected = isShown && result.count > 0 && (asTyped.corrections?.size ?? 0) > 0
  return findsMore || isCorrected ? { query: better, result, isShown } : null
}

/** Where on this page hits begin that lack some words. */
function looseOnPage(looseFrom: number | null, first: number, size: number): number | null {
  if (looseFrom === null || looseFrom >= first + size) return null
  return Math.max(0, looseFrom - first)
}

/** Results are ranked as a whole and cut into a few pages: MAX_HITS of them, no cursor needed. */
function pageNumber(request: FastifyRequest): number {
  const asked = Number(queryParam(request, 'page') ?? '1')
  return Number.isInteger(asked) && asked >= 1 && asked <= MAX_HITS / PAGE_SIZE ? asked : 1
}

/** Similar questions while a title is typed, as JSON for public/js/similar.js; without it the preview shows them. */
export function registerSimilar(app: FastifyInstance): void {
  app.decorate(
    'related',
    new RelatedQuestions(app.db, app.changes, (error) =>
      app.log.warn({ err: error }, 'near questions could not be kept'),
    ),
  )
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

/** The page before anything is typed. @param course the one that is searched; null: all */
const showStart = async (request: FastifyRequest, reply: FastifyReply, course: Course | null) =>
  reply.page('search/start', await startPage(request, course), { script: 'searching' })

interface Door {
  readonly icon: string
  readonly text: string
  readonly path: string
  /** How much there is; null: nobody counts. */
  readonly count?: number | null
  /** The viewer's own number: a slot of web/own-parts.ts. */
  readonly slot?: string
}

export async function startPage(request: FastifyRequest, course: Course | null) {
  const t = translatorFor(request)
  const { server, person } = request
  const list = course === null ? '/questions' : coursePath(course.slug)
  const waiting = course === null ? null : (await server.asides.of(course.id)).waitingCount
  const unanswered = {
    icon: 'clock',
    text: t(course === null ? 'search.door.unanswered' : 'search.door.inCourse'),
    path: pathWith(list, { status: 'unanswered' }),
    count: waiting,
  }
  const slot = `mine.${course?.id ?? 'all'}`
  const own = { icon: 'hand', text: t('layout.ownQuestions'), path: pathWith(list, { mine: 1 }), slot }
  const doors: Door[] = person === null ? [unanswered] : [unanswered, own]
  if (course !== null) {
    const count = await faqCount(server.db, course.id)
    doors.push({ icon: 'book', text: t('courses.bar.faq'), path: faqPath(course.slug), count })
  }
  const searched = course === null ? null : searchedCourse(course, null)
  return { title: t('search.title'), course: searched, doors }
}

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
async function foundInAll({ server, person }: FastifyRequest, query: SearchQuery, here: SearchResult) {
  const readable = await server.courses.readable(person)
  if (readable.ids.length < 2) return null
  const options = { readable, size: 1, isSpelt: true }
  const { count, isMore, looseFrom } = await search(server.db, person, query, options)
  const hasAllWords = here.looseFrom === 0 && count > 0 && looseFrom === null
  if (count <= here.count && !hasAllWords) return null
  return { count, isMore, path: pathWith('/search', { q: query.text }) }
}
