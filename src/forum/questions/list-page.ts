import type { FastifyRequest } from 'fastify'
import { type Cursor, type Page, type PageRequest, writeCursor } from '../../database/keyset.ts'
import type { Language } from '../../database/schema.ts'
import { type Translate, translatorOf } from '../../messages/catalogue.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { languageOfRequest } from '../../web/language.ts'
import { type OwnText, ownTextOf } from '../../web/own-parts.ts'
import { pageLinks, pageRequest } from '../../web/pages.ts'
import { choiceParam, queryParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { findTag } from '../tags/queries.ts'
import {
  cursorOf,
  dependOnList,
  type ListedQuestion,
  listQuestions,
  pinnedQuestions,
  type QuestionFilter,
  SORTS,
  type Sort,
  STATUS_FILTERS,
} from './list.ts'
import { SORT_COLUMNS, type StatusFilter } from './list-filter.ts'
import { questionRow } from './row.ts'

export interface Choice {
  readonly text: string
  readonly path: string
  readonly isCurrent: boolean
}

/** A tab of a list. The page may know how many questions are behind it. */
export interface Tab extends Choice {
  readonly name: 'all' | 'mine' | StatusFilter
}

/** A list of questions with what filters, sorts and pages it: views/questions/_list.eta. */
export interface QuestionListView {
  readonly tabs: readonly Tab[]
  readonly sorts: readonly Choice[]
  /** HTML of the rows and the links to the pages around; '': there is no question. */
  readonly rows: string
  /** Where the page of an empty list hears of its first questions; null: it does not. */
  readonly emptyLivePath: string | null
  /** What an empty list means: nobody asked anything, nobody about this lecture, not oneself; or nothing fits the filters. */
  readonly scope: 'all' | 'lecture' | 'mine' | 'filtered'
  /** The tag the address names; null: none. */
  readonly tag: string | null
  /** The same list without any filter. */
  readonly allPath: string
  /** The page's path without a query, and what a form that chooses a lecture keeps of the query. */
  readonly path: string
  readonly kept: readonly { readonly name: string; readonly value: string }[]
}

/** What the page itself fixes; the query string decides the rest. */
export interface ListScope {
  /** The page's path, without a query. */
  readonly path: string
  readonly courseId?: number
  readonly tagId?: number
  readonly authorId?: number
  /** Parameters that belong to the page's path, e.g. { course: 'rest' }. */
  readonly fixed?: Readonly<Record<string, string>>
  readonly lecture?: { readonly id: number; readonly position: number } | null
  readonly showCourse: boolean
}

/** The query parameters that a list reads. With `mine` it is one person's. */
export const LIST_PARAMETERS = {
  parameters: ['course', 'lecture', 'status', 'tag', 'sort', 'after', 'before'],
  personalParameters: ['mine'],
} as const

interface RowsOptions {
  readonly path: string
  /** Parameters that stay from page to page. */
  readonly parameters: Readonly<Record<string, string | number | null>>
  readonly sort: Sort
  readonly language: Language
  readonly showCourse: boolean
  readonly own: OwnText
  /** Which list `/live/questions` shall watch; null: new questions would not come to the top of this page. */
  readonly live: Readonly<Record<string, string | number | null>> | null
}

/** Reads filter, sort and cursor from the address, asks for the page, and makes the links around it. */
export async function questionListView(request: FastifyRequest, scope: ListScope): Promise<QuestionListView> {
  const language = languageOfRequest(request)
  const t = translatorOf(language)
  const status = choiceParam(request, 'status', STATUS_FILTERS, null)
  const sort = choiceParam(request, 'sort', SORTS, 'newest')
  const isMine = queryParam(request, 'mine') === '1'
  const tag = scope.tagId === undefined ? queryParam(request, 'tag') : null
  const filter: QuestionFilter = {
    courseId: scope.courseId ?? null,
    tagId: scope.tagId ?? (await tagIdOf(request, tag)),
    lectureId: scope.lecture?.id ?? null,
    authorId: scope.authorId ?? (isMine ? request.requirePerson().id : null),
    isOwn: isMine,
    status,
    sort,
  }
  const { kind } = SORT_COLUMNS[sort]
  const { db, courses } = request.server
  const readable = await courses.readable(request.person)
  const asked = pageRequest(request, kind)
  const page = await listQuestions(db, request.person, filter, asked, readable)
  const isWhole =
    isTop(sort, asked) && !isMine && [status, tag, scope.lecture].every((one) => (one ?? null) === null)
  const pinned =
    isWhole && scope.courseId !== undefined ? await pinnedQuestions(db, request.person, scope.courseId) : []
  const own = await ownTextOf(request)
  const lecture = scope.lecture?.position ?? null
  const chosen = { status, mine: isMine ? 1 : null, sort: sort === 'newest' ? null : sort }
  const current = { ...scope.fixed, lecture, tag, ...chosen }
  const linkTo = (change: Record<string, string | number | null>) =>
    pathWith(scope.path, { ...current, ...change })
  dependOnList(request, filter.courseId, [...pinned, ...page.rows])
  const live = isTop(sort, asked) ? watched(filter) : null
  return {
    tabs: tabs(t, { status, isMine, isSignedIn: request.person !== null, linkTo }),
    sorts: SORTS.map((name) => ({
      text: t(`questions.sort.${name}`),
      path: linkTo({ sort: name === 'newest' ? null : name }),
      isCurrent: name === sort,
    })),
    rows: rowsHtml(request, page, pinned, { ...scope, sort, language, parameters: current, live, own }),
    emptyLivePath: livePath(live, null),
    scope: emptyScopeOf({ status, isMine, lecture, tag }),
    tag,
    allPath: pathWith(scope.path, scope.fixed ?? {}),
    path: scope.path,
    kept: Object.entries({ ...scope.fixed, tag, ...chosen }).flatMap(([name, value]) =>
      value === null ? [] : [{ name, value: String(value) }],
    ),
  }
}

function emptyScopeOf(chosen: {
  readonly status: string | null
  readonly isMine: boolean
  readonly lecture: number | null
  readonly tag: string | null
}): QuestionListView['scope'] {
  const { status, isMine, lecture, tag } = chosen
  if (status !== null || tag !== null || (isMine && lecture !== null)) return 'filtered'
  if (isMine) return 'mine'
  return lecture === null ? 'all' : 'lecture'
}

/** HTML of the rows and the links to the pages around: views/questions/_rows.eta. '': there is none. */
function rowsHtml(
  { server, person }: FastifyRequest,
  page: Page<ListedQuestion>,
  pinned: readonly ListedQuestion[],
  { sort, showCourse, language, live, own, ...links }: RowsOptions,
): string {
  const [newest] = page.rows
  if (newest === undefined) return ''
  const t = translatorOf(language)
  const look = { t, viewer: person, timeZone: person?.timeZone ?? null, showCourse, own, now: new Date() }
  return server.part('/questions/_rows', {
    t,
    rows: [
      ...pinned.map((row) => questionRow(row, { ...look, isPinned: true })),
      ...page.rows
        .filter(({ id }) => !pinned.some((one) => one.id === id))
        .map((row) => questionRow(row, look)),
    ].map((question) => server.part('/questions/_question-row', { t, question })),
    livePath: livePath(live, cursorOf(newest, sort)),
    ...pageLinks(page, (question) => cursorOf(question, sort), links.path, links.parameters),
  })
}

/** New questions come to the top of this page. */
function isTop(sort: QuestionFilter['sort'], { after, before }: PageRequest): boolean {
  return sort === 'newest' && after === null && before === null
}

/** Where the page hears of new questions. @param newest the first row; null: there is none */
function livePath(live: RowsOptions['live'], newest: Cursor | null): string | null {
  if (live === null) return null
  return pathWith('/live/questions', { ...live, since: newest === null ? null : writeCursor(newest) })
}

/** The parameters of `/live/questions` for a list. */
function watched({ courseId, tagId, lectureId, authorId, status }: QuestionFilter) {
  return { course: courseId, tag: tagId, lecture: lectureId, author: authorId, status }
}

/** null: no tag is asked for; 0, which no tag has, for one that is not there: nothing carries it. */
async function tagIdOf(request: FastifyRequest, name: string | null): Promise<number | null> {
  if (name === null) return null
  const tag = await findTag(request.server.db, request.person, tagNameOf(name))
  return tag?.id ?? 0
}

interface TabOptions {
  readonly status: QuestionFilter['status']
  readonly isMine: boolean
  readonly isSignedIn: boolean
  readonly linkTo: (change: Record<string, string | number | null>) => string
}

/** All, one's own, and each status; each keeps the sort. */
function tabs(t: Translate, { status, isMine, isSignedIn, linkTo }: TabOptions): Tab[] {
  const tab = (name: Tab['name'], change: { status: string | null; mine: 1 | null }, isCurrent: boolean) => ({
    name,
    text: t(`questions.tab.${name}`),
    path: linkTo(change),
    isCurrent,
  })
  const all = tab('all', { status: null, mine: null }, status === null && !isMine)
  const mine = tab('mine', { status: null, mine: 1 }, isMine)
  const states = (['unanswered', 'unresolved', 'resolved'] as const).map((name) =>
    tab(name, { status: name, mine: null }, status === name && !isMine),
  )
  return isSignedIn ? [all, mine, ...states] : [all, ...states]
}
