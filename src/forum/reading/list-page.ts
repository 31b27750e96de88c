import type { FastifyRequest } from 'fastify'
import { type Cursor, type Page, type PageRequest, writeCursor } from '../../database/keyset.ts'
import type { Language } from '../../database/schema.ts'
import { type Translate, translatorOf } from '../../messages/catalogue.ts'
import { isDay, writtenDay } from '../../text/dates.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
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
import { SORT_COLUMNS, type UnreadTo, type WrittenDays } from './list-filter.ts'
import { type Choice, listTabs, PERSONAL_LISTS, type PersonalList, type Tab } from './list-tabs.ts'
import { questionRow } from './row.ts'

/** A list of questions with what filters, sorts and pages it: views/questions/_list.eta. */
export interface QuestionListView {
  readonly tabs: readonly Tab[]
  readonly sorts: readonly Choice[]
  /** HTML of the rows and the links to the pages around; '': there is no question. */
  readonly rows: string
  /** Where the page of an empty list hears of its first questions; null: it does not. */
  readonly emptyLivePath: string | null
  /** What an empty list means: nobody asked anything, nobody about this lecture, not oneself, one follows nothing, one has read everything; or nothing fits the filters. */
  readonly scope: 'all' | 'lecture' | PersonalList | 'filtered'
  /** Where all of it is marked as read; null: the list is not of what is unread. */
  readonly readingPath: string | null
  /** The tag the address names; null: none. */
  readonly tag: string | null
  /** From when to when its questions are, in words; null: of whenever. */
  readonly written: string | null
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
  /** In which the days of the address are; undefined: it names none. */
  readonly timeZone?: string
  /** Where all of it is marked as read; undefined: it is not done for this list. */
  readonly readingPath?: string
}

/** The query parameters that a list reads. With `unread`, `mine` or `following` it is one person's. */
export const LIST_PARAMETERS = {
  parameters: ['course', 'lecture', 'status', 'tag', 'sort', 'after', 'before', 'from', 'to'],
  personalParameters: ['unread', 'mine', 'following'],
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
  const shown = personalListOf(request)
  const tag = scope.tagId === undefined ? queryParam(request, 'tag') : null
  const filter: QuestionFilter = {
    courseId: scope.courseId ?? null,
    tagId: scope.tagId ?? (await tagIdOf(request, tag)),
    lectureId: scope.lecture?.id ?? null,
    authorId: scope.authorId ?? (shown === 'mine' ? request.requirePerson().id : null),
    isOwn: shown === 'mine',
    followerId: shown === 'following' ? request.requirePerson().id : null,
    unread: shown === 'unread' ? await unreadTo(request) : null,
    written: writtenIn(request, scope.timeZone),
    status,
    sort,
  }
  const { kind } = SORT_COLUMNS[sort]
  const { db, courses } = request.server
  const readable = await courses.readable(request.person)
  const asked = pageRequest(request, kind)
  const page = await listQuestions(db, request.person, filter, asked, readable)
  const isWhole = [shown, status, tag, scope.lecture ?? null, filter.written].every((one) => one === null)
  const pinned =
    isWhole && isTop(sort, asked) && scope.courseId !== undefined
      ? await pinnedQuestions(db, request.person, scope.courseId)
      : []
  const own = await ownTextOf(request)
  const lecture = scope.lecture?.position ?? null
  const chosen = {
    status,
    mine: shown === 'mine' ? 1 : null,
    following: shown === 'following' ? 1 : null,
    unread: shown === 'unread' ? 1 : null,
    sort: sort === 'newest' ? null : sort,
    from: filter.written?.from ?? null,
    to: filter.written?.to ?? null,
  }
  const current = { ...scope.fixed, lecture, tag, ...chosen }
  const linkTo = (change: Record<string, string | number | null>) =>
    pathWith(scope.path, { ...current, ...change })
  dependOnList(request, filter, [...pinned, ...page.rows])
  const isLive = shown !== 'following' && shown !== 'unread' && filter.written === null
  const live = isLive && isTop(sort, asked) ? watched(filter) : null
  // Of a lecture or a tag nobody counts what is one's own.
  const ownCounts = lecture === null && tag === null && scope.tagId === undefined ? own : null
  return {
    tabs: listTabs(t, {
      status,
      shown,
      isSignedIn: request.person !== null,
      courseId: filter.courseId,
      own: ownCounts,
      linkTo,
    }),
    sorts: SORTS.map((name) => ({
      text: t(`questions.sort.${name}`),
      path: linkTo({ sort: name === 'newest' ? null : name }),
      isCurrent: name === sort,
    })),
    rows: rowsHtml(request, page, pinned, { ...scope, sort, language, parameters: current, live, own }),
    emptyLivePath: livePath(live, null),
    scope: emptyScopeOf({ status, shown, lecture, tag, written: filter.written }),
    readingPath: shown === 'unread' ? (scope.readingPath ?? null) : null,
    tag,
    written: filter.written === null ? null : writtenText(t, language, filter.written),
    allPath: pathWith(scope.path, scope.fixed ?? {}),
    path: scope.path,
    kept: Object.entries({ ...scope.fixed, tag, ...chosen }).flatMap(([name, value]) =>
      value === null ? [] : [{ name, value: String(value) }],
    ),
  }
}

async function unreadTo(request: FastifyRequest): Promise<UnreadTo> {
  const { id } = request.requirePerson()
  const { unseenQuestions } = await request.server.ownParts(id)
  return { personId: id, told: [...unseenQuestions] }
}

/** The days of the address; null: it doesn't name both. */
function writtenIn(request: FastifyRequest, timeZone: string | undefined): WrittenDays | null {
  const [from, to] = [queryParam(request, 'from'), queryParam(request, 'to')]
  if (timeZone === undefined || from === null || to === null || !isDay(from) || !isDay(to)) return null
  return { from, to, timeZone }
}

function writtenText(t: Translate, language: Language, { from, to }: WrittenDays): string {
  return t('questions.written.named', { from: writtenDay(from, language), to: writtenDay(to, language) })
}

function personalListOf(request: FastifyRequest): PersonalList | null {
  return PERSONAL_LISTS.find((name) => queryParam(request, name) === '1') ?? null
}

function emptyScopeOf(chosen: {
  readonly status: string | null
  readonly shown: PersonalList | null
  readonly lecture: number | null
  readonly tag: string | null
  readonly written: WrittenDays | null
}): QuestionListView['scope'] {
  const { status, shown, lecture, tag, written } = chosen
  if (written !== null) return 'filtered'
  if (status !== null || tag !== null || (shown !== null && lecture !== null)) return 'filtered'
  if (shown !== null) return shown
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
        .map((row, index) => ({ ...questionRow(row, look), isNewest: index === 0 })),
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

interface Titled {
  readonly list: QuestionListView
  readonly lecture: { readonly position: number; readonly title: string } | null
  /** Of the page that the list stands on. */
  readonly title: string
}

/**
 * The title of a list: what tells it from the page's other lists comes first, as tabs of a browser and screen readers begin there.
 * `Unanswered · Votes · Designing REST APIs`
 */
export function listTitle(request: FastifyRequest, { list, lecture, title }: Titled): string {
  const t = translatorFor(request)
  const tab = list.tabs.find((one) => one.isCurrent && one.name !== 'all')
  const sort = list.sorts.slice(1).find((one) => one.isCurrent)
  const further = (['after', 'before'] as const).find((name) => queryParam(request, name) !== null)
  const parts = [
    lecture === null
      ? null
      : t('questions.lecture.named', { position: lecture.position, title: lecture.title }),
    list.tag === null ? null : t('questions.tag.named', { tag: list.tag }),
    list.written,
    tab?.text,
    sort?.text,
    further && t(further === 'after' ? 'questions.pager.older' : 'questions.pager.newer'),
    title,
  ]
  return parts.filter(Boolean).join(' · ')
}
