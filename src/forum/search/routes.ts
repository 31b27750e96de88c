import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { translatorOf } from '../../messages/catalogue.ts'
import { occurrencesOf } from '../../text/occurrences.ts'
import { languageOfRequest } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import { pathWith, questionPath } from '../../web/paths.ts'
import type { AskedAbout } from '../../web/shell.ts'
import { NOTHING_BESIDE } from './candidates.ts'
import { countFacets, facetsOf } from './facets.ts'
import { FoundQuestions } from './found-questions.ts'
import { SEARCH } from './indexing.ts'
import { type Notice, noticesFor, noticeView } from './notices.ts'
import { parseQuery, type SearchQuery } from './query.ts'
import { type FacetView, facetViews, type ResultView, resultView } from './results.ts'
import { MAX_HITS, search } from './search.ts'
import { betterSpelling } from './spelling.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'search/index': SearchPage
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly foundQuestions: FoundQuestions
  }
}

export interface SearchPage {
  readonly query: string
  readonly notices: readonly Notice[]
  readonly results: readonly ResultView[]
  readonly facets: readonly FacetView[]
  /** null: nothing was asked. */
  readonly count: number | null
  readonly isMore: boolean
  readonly isLoose: boolean
  /** What looks like a filter and is none, as typed. */
  readonly unknownFilters: readonly string[]
  /** The same search with a word as others spell it. */
  readonly better: { readonly text: string; readonly path: string } | null
  readonly newerPath: string | null
  readonly olderPath: string | null
}

const PAGE_SIZE = 20
const MAX_SUGGESTIONS = 6

/** Searching: the page, and suggestions while typing. */
export function registerSearch(app: FastifyInstance): void {
  app.decorate('foundQuestions', new FoundQuestions(app.db, app.changes))
  app.get('/search', { config: { limit: 'search' } }, showSearch)

  app.get('/search/suggestions', { config: { limit: 'suggestions' } }, async (request, reply) => {
    const query = parseQuery(queryParam(request, 'q') ?? '')
    const readable = await app.courses.readable(request.person, query.filters.course)
    const { hits } = await search(app.db, request.person, query, { readable, size: MAX_SUGGESTIONS })
    const suggestions = hits.map((hit) => ({
      text: hit.title,
      path: questionPath(hit),
      isResolved: hit.status === 'resolved',
    }))
    return reply.header('cache-control', 'private, max-age=30').header('vary', 'cookie').send({ suggestions })
  })
}

async function showSearch(request: FastifyRequest, reply: FastifyReply) {
  const { db, jobs, courses, foundQuestions } = request.server
  // People who search for what they have just posted find it.
  await jobs.caughtUp(SEARCH)
  const t = translatorOf(languageOfRequest(request))
  const query = parseQuery(queryParam(request, 'q') ?? '')
  const page = pageNumber(request)
  const readable = await courses.readable(request.person, query.filters.course)
  // One more than are shown tells whether there is another page.
  const size = Math.min(MAX_HITS, page * PAGE_SIZE + 1)
  const notices = page === 1 ? noticesFor(request.person, query) : NOTHING_BESIDE.notices
  const beside = { facets: countFacets, notices }
  const result = await search(db, request.person, query, { readable, size, beside })
  const shown = result.hits.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  const hits = await foundQuestions.find(shown.map((hit) => hit.id))
  const lexemes = new Set([...query.groups, ...query.phrases].flatMap((group) => group.lexemes))
  const marked = { find: occurrencesOf(lexemes), count: lexemes.size }
  const better =
    result.count < 3 || result.isLoose ? await betterSpelling(db, request.person, query.text) : null
  const linkTo = (number: number) =>
    pathWith('/search', {
      q: query.text,
      page: number === 1 ? null : number,
      course: queryParam(request, 'course'),
    })
  return reply.page(
    'search/index',
    {
      title: query.text === '' ? t('search.title') : t('search.titleFor', { query: query.text }),
      query: query.text,
      notices: (result.found.notices ?? []).map(noticeView),
      results: hits.map((hit) => resultView({ t, viewer: request.person }, hit, marked)),
      facets: facetViews(request, query, facetsOf(result.found.facets)),
      count: query.text === '' ? null : result.count,
      isMore: result.isMore,
      isLoose: result.isLoose,
      unknownFilters: query.unknownFilters,
      better:
        better === null
          ? null
          : { text: better, path: pathWith('/search', { q: better, course: queryParam(request, 'course') }) },
      newerPath: page > 1 ? linkTo(page - 1) : null,
      olderPath: result.hits.length > page * PAGE_SIZE ? linkTo(page + 1) : null,
    },
    query.text === '' ? {} : { robots: 'noindex', course: query.filters.course, ask: askedAbout(query) },
  )
}

/** Ask begins with what was looked for. */
function askedAbout({ subject, filters }: SearchQuery): AskedAbout {
  return { title: subject || null, lecture: filters.lecture, tags: filters.tags.join(', ') || null }
}

/** Results are ranked as a whole and cut into a few pages: MAX_HITS of them, no cursor needed. */
function pageNumber(request: FastifyRequest): number {
  const asked = Number(queryParam(request, 'page') ?? '1')
  return Number.isInteger(asked) && asked >= 1 && asked <= MAX_HITS / PAGE_SIZE ? asked : 1
}
