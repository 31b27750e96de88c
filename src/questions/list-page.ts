import type { FastifyRequest } from 'fastify'
import { type Translate, translatorOf } from '../messages/catalogue.ts'
import { findTag } from '../tags/queries.ts'
import { languageOfRequest } from '../web/language.ts'
import { pageRequest } from '../web/pages.ts'
import { choiceParam, queryParam } from '../web/params.ts'
import { pathWith } from '../web/paths.ts'
import { cursorOf, type ListPage, listQuestions, type QuestionFilter, SORTS, STATUS_FILTERS } from './list.ts'
import { SORT_COLUMNS } from './list-filter.ts'
import { type ListLook, listPart, rowsHtml } from './list-part.ts'
import { tellRows, tellScope } from './list-shown.ts'
import { windowOf } from './list-window.ts'

export interface Choice {
  readonly text: string
  readonly path: string
  readonly isCurrent: boolean
}

/** A list of questions with what filters, sorts and pages it: views/questions/_list.eta. */
export interface QuestionListView {
  readonly tabs: readonly Choice[]
  readonly sorts: readonly Choice[]
  /** HTML of the rows and the links to the pages around; '': there is no question. */
  readonly rows: string
  /** Some filter is on: an empty list then means something else. */
  readonly isFiltered: boolean
  /** The tag the address names; null: none. */
  readonly tag: string | null
  /** The same list without any filter. */
  readonly allPath: string
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
    status,
    sort,
  }
  const { kind } = SORT_COLUMNS[sort]
  const { db, courses, questionRows } = request.server
  const readable = await courses.readable(request.person)
  const asked = pageRequest(request, kind)
  const page = await listQuestions(db, request.person, filter, asked, readable)
  const lecture = scope.lecture?.position ?? null
  const chosen = { status, mine: isMine ? 1 : null, sort: sort === 'newest' ? null : sort }
  const current = { ...scope.fixed, lecture, tag, ...chosen }
  const linkTo = (change: Record<string, string | number | null>) =>
    pathWith(scope.path, { ...current, ...change })
  const look: ListLook = {
    viewer: request.person,
    courses: readable.ids,
    request: asked,
    language,
    timeZone: request.person?.timeZone ?? null,
    showCourse: scope.showCourse,
    path: scope.path,
    parameters: current,
  }
  const rows = page.rows.map((question) => ({
    ...cursorOf(question, sort),
    html: questionRows.html(question, look),
  }))
  const html = rowsHtml(request.server, look, { ...page, rows })
  if (request.shown !== null) {
    const window = windowOf(filter, page)
    tellScope(request.shown, filter)
    if (canBeMadeAlone(page, look, html))
      request.shown.part = listPart(request.server, look, window, rows, html)
    else tellRows(request.shown, window)
  }
  return {
    tabs: tabs(t, { status, isMine, isSignedIn: request.person !== null, linkTo }),
    sorts: SORTS.map((name) => ({
      text: t(`questions.sort.${name}`),
      path: linkTo({ sort: name === 'newest' ? null : name }),
      isCurrent: name === sort,
    })),
    rows: html,
    isFiltered: status !== null || isMine || lecture !== null || tag !== null,
    tag,
    allPath: pathWith(scope.path, scope.fixed ?? {}),
  }
}

/** Whether the rows can be made again alone: not where the page is another one than was asked for, or is read backwards. */
function canBeMadeAlone({ above }: ListPage, { request }: ListLook, html: string): boolean {
  return html !== '' && request.before === null && request.after === above
}

/** null: no tag is asked for; 0, which no tag has, for one that is not there: nothing carries it. */
async function tagIdOf(request: FastifyRequest, name: string | null): Promise<number | null> {
  if (name === null) return null
  const tag = await findTag(request.server.db, request.person, name.toLowerCase())
  return tag?.id ?? 0
}

interface TabOptions {
  readonly status: QuestionFilter['status']
  readonly isMine: boolean
  readonly isSignedIn: boolean
  readonly linkTo: (change: Record<string, string | number | null>) => string
}

/** All, each status, and one's own; each keeps the sort. */
function tabs(t: Translate, { status, isMine, isSignedIn, linkTo }: TabOptions): Choice[] {
  const all = {
    text: t('questions.tab.all'),
    path: linkTo({ status: null, mine: null }),
    isCurrent: status === null && !isMine,
  }
  const states = (['unanswered', 'unresolved', 'resolved'] as const).map((name) => ({
    text: t(`questions.tab.${name}`),
    path: linkTo({ status: name, mine: null }),
    isCurrent: status === name && !isMine,
  }))
  const mine = { text: t('questions.tab.mine'), path: linkTo({ status: null, mine: 1 }), isCurrent: isMine }
  return isSignedIn ? [all, ...states, mine] : [all, ...states]
}
