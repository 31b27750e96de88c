import { type Cursor, type PageRequest, writeCursor } from '../../database/keyset.ts'
import { isDay, writtenDay } from '../../text/dates.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/list.ts'
import type { OwnText } from '../../web/own-parts.ts'
import type { PageContext } from '../../web/page.ts'
import { choiceParam, queryParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { findTag } from '../tags/queries.ts'
import {
  cursorOf,
  dependOnList,
  type ListedQuestion,
  listQuestions,
  PAGE_SIZE,
  pinnedQuestions,
  type QuestionFilter,
  SELECTION_SIZE,
  SORTS,
  STATUS_FILTERS,
} from './list.ts'
import { SORT_COLUMNS, type StatusFilter, type UnreadTo, type WrittenDays } from './list-filter.ts'
import { questionRow, type RowOptions } from './row.ts'

/** A list of questions with what filters, sorts and pages it: views/questions/_list.eta. */
export type QuestionListView = Awaited<ReturnType<typeof questionListView>>

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
  /** Where staff do something to those that they select; undefined: they select none. */
  readonly selectionPath?: string | undefined
  /** Where all of it is marked as read; undefined: it is not done for this list. */
  readonly readingPath?: string
}

/** Lists of one person: what they have not read, what they asked, and what they follow. The parameter of the address has the same name. */
const PERSONAL_LISTS = ['unread', 'mine', 'following'] as const
type PersonalList = (typeof PERSONAL_LISTS)[number]

const STATES = ['unanswered', 'unresolved', 'resolved'] as const

/** The query parameters that a list reads. With `unread`, `mine` or `following` it is one person's. */
export const LIST_PARAMETERS = {
  parameters: ['course', 'lecture', 'status', 'tag', 'sort', 'after', 'before', 'from', 'to'],
  personalParameters: [...PERSONAL_LISTS, 'select'],
} as const

/** Reads filter, sort and cursor from the address, asks for the page, and makes the links around it. */
export async function questionListView(context: PageContext, scope: ListScope) {
  const { t, db, server, viewer, lang } = context
  const status = choiceParam(context, 'status', STATUS_FILTERS, null)
  const sort = choiceParam(context, 'sort', SORTS, 'newest')
  const shown = PERSONAL_LISTS.find((name) => queryParam(context, name) === '1') ?? null
  const tag = scope.tagId === undefined ? queryParam(context, 'tag') : null
  const filter: QuestionFilter = {
    courseId: scope.courseId ?? null,
    tagId: scope.tagId ?? (await tagIdOf(context, tag)),
    lectureId: scope.lecture?.id ?? null,
    authorId: scope.authorId ?? (shown === 'mine' ? context.person().id : null),
    isOwn: shown === 'mine',
    followerId: shown === 'following' ? context.person().id : null,
    unread: shown === 'unread' ? await unreadTo(context) : null,
    written: writtenIn(context, scope.timeZone),
    status,
    sort,
  }
  const readable = await server.courses.readable(viewer)
  const asked = pageRequest(context, SORT_COLUMNS[sort].kind)
  const { selectionPath = null } = scope
  const isLong = selectionPath !== null && queryParam(context, 'select') === '1'
  const page = await listQuestions(db, viewer, filter, asked, readable, isLong ? SELECTION_SIZE : PAGE_SIZE)
  const isWhole = [shown, status, tag, scope.lecture ?? null, filter.written].every((one) => one === null)
  const pinned =
    isWhole && isTop(sort, asked) && scope.courseId !== undefined
      ? await pinnedQuestions(db, viewer, scope.courseId)
      : []
  const own = await context.own()
  const lecture = scope.lecture?.position ?? null
  const chosen = {
    status,
    mine: shown === 'mine' ? 1 : null,
    following: shown === 'following' ? 1 : null,
    unread: shown === 'unread' ? 1 : null,
    sort: sort === 'newest' ? null : sort,
    from: filter.written?.from ?? null,
    to: filter.written?.to ?? null,
    select: isLong ? 1 : null,
  }
  const current = { ...scope.fixed, lecture, tag, ...chosen }
  const linkTo = (change: Record<string, string | number | null>) =>
    pathWith(scope.path, { ...current, ...change })
  dependOnList(context, filter, [...pinned, ...page.rows])
  const { courseId: course, tagId, lectureId, authorId: author } = filter
  const isLive = shown !== 'following' && shown !== 'unread' && filter.written === null
  // Which list `/live/questions` shall watch; null: new questions would not come to the top of this page.
  const live =
    isLive && isTop(sort, asked) ? { course, tag: tagId, lecture: lectureId, author, status } : null
  const look = {
    ...context,
    own,
    timeZone: viewer?.timeZone ?? null,
    showCourse: scope.showCourse,
    isSelectable: selectionPath !== null,
  }
  const [newest] = page.rows
  const around = {
    livePath: livePath(live, newest === undefined ? null : cursorOf(newest, sort)),
    ...pageLinks(page, linkTo({})),
  }
  const isFiltered = [status, tag, filter.written].some((one) => one !== null)
  // Of a lecture or a tag nobody counts what is one's own.
  const ownCounts = lecture === null && tag === null && scope.tagId === undefined ? own : null
  return {
    tabs: listTabs(context, filter, shown, linkTo, ownCounts),
    sorts: SORTS.map((name) => ({
      text: t(`questions.sort.${name}`),
      path: linkTo({ sort: name === 'newest' ? null : name }),
      isCurrent: name === sort,
    })),
    rows: rowsHtml(context, look, page.rows, pinned, around),
    // Where the page of an empty list hears of its first questions.
    emptyLivePath: livePath(live, null),
    scope: emptyScopeOf(shown, lecture, isFiltered),
    // What staff do to those that they select; null: they select none. `morePath`: a longer list of them, where there are more.
    selection:
      selectionPath === null
        ? null
        : {
            action: selectionPath,
            morePath: isLong || page.older === null ? null : linkTo({ select: 1 }),
          },
    readingPath: shown === 'unread' ? (scope.readingPath ?? null) : null,
    // That the address names.
    tag,
    // From when to when its questions are, in words.
    written:
      filter.written &&
      t('questions.written.named', {
        from: writtenDay(filter.written.from, lang),
        to: writtenDay(filter.written.to, lang),
      }),
    // Without any filter.
    allPath: pathWith(scope.path, scope.fixed ?? {}),
    path: scope.path,
    // What a form that chooses a lecture keeps of the query.
    kept: Object.entries({ ...scope.fixed, tag, ...chosen }).flatMap(([name, value]) =>
      value === null ? [] : [{ name, value: String(value) }],
    ),
  }
}

async function unreadTo({ server, person }: PageContext): Promise<UnreadTo> {
  const { id } = person()
  const { unseenQuestions } = await server.ownParts(id)
  return { personId: id, told: [...unseenQuestions] }
}

/** The days of the address; null: it doesn't name both. */
function writtenIn(address: PageContext, timeZone: string | undefined): WrittenDays | null {
  const [from, to] = [queryParam(address, 'from'), queryParam(address, 'to')]
  if (timeZone === undefined || from === null || to === null || !isDay(from) || !isDay(to)) return null
  return { from, to, timeZone }
}

/**
 * How much is unread is not counted: each post in a course would change it for everybody.
 * @param own null: no numbers stand here
 */
function listTabs(
  { t, viewer }: PageContext,
  { status, courseId }: QuestionFilter,
  shown: PersonalList | null,
  linkTo: (change: Record<string, string | number | null>) => string,
  own: OwnText | null,
) {
  const tab = (
    name: 'all' | PersonalList | StatusFilter,
    chosen: Record<string, string | number>,
    isCurrent: boolean,
    ownCount: string | null = null,
  ) => ({
    name,
    text: t(`questions.tab.${name}`),
    path: linkTo({ status: null, unread: null, mine: null, following: null, ...chosen }),
    isCurrent,
    // How many there are for the reader alone, as it stands on the page, '' for none; null: not known.
    ownCount,
  })
  const personal = (name: PersonalList) =>
    tab(name, { [name]: 1 }, shown === name, own?.(`${name}.${courseId ?? 'all'}`) ?? null)
  const all = tab('all', {}, status === null && shown === null)
  const states = STATES.map((name) => tab(name, { status: name }, status === name && shown === null))
  if (viewer === null) return [all, ...states]
  const unread = tab('unread', { unread: 1 }, shown === 'unread')
  return [all, unread, personal('mine'), ...states, personal('following')]
}

/**
 * What an empty list means: nobody asked anything, or not about this lecture, or nothing fits the filters.
 */
function emptyScopeOf(shown: PersonalList | null, lecture: number | null, isFiltered: boolean) {
  if (isFiltered || (shown !== null && lecture !== null)) return 'filtered'
  return shown ?? (lecture === null ? 'all' : 'lecture')
}

/** HTML of the rows and the links to the pages around: views/questions/_rows.eta. '': there is none. */
function rowsHtml(
  { t, server }: PageContext,
  look: RowOptions,
  listed: readonly ListedQuestion[],
  pinned: readonly ListedQuestion[],
  around: PageLinks & { readonly livePath: string | null },
): string {
  if (listed.length === 0) return ''
  const others = listed.filter(({ id }) => !pinned.some((one) => one.id === id))
  const rows = [
    ...pinned.map((row) => ({ ...questionRow(row, look), isPinned: true })),
    // Where `#newest` leads.
    ...others.map((row, index) => ({ ...questionRow(row, look), isNewest: index === 0 })),
  ].map((question) => server.part('/questions/_question-row', { t, question }))
  return server.part('/questions/_rows', { t, rows, ...around })
}

/** New questions come to the top of this page. */
function isTop(sort: QuestionFilter['sort'], { after, before }: PageRequest): boolean {
  return sort === 'newest' && after === null && before === null
}

/** Where the page hears of new questions. @param newest the first row; null: there is none */
function livePath(live: Record<string, string | number | null> | null, newest: Cursor | null) {
  if (live === null) return null
  return pathWith('/live/questions', { ...live, since: newest === null ? null : writeCursor(newest) })
}

/** null: no tag is asked for; 0, which no tag has, for one that is not there: nothing carries it. */
async function tagIdOf({ db, viewer }: PageContext, name: string | null): Promise<number | null> {
  if (name === null) return null
  const tag = await findTag(db, viewer, tagNameOf(name))
  return tag?.id ?? 0
}

/**
 * The title of a list: what tells it from the page's other lists comes first, as tabs of a browser and screen
 * readers begin there. `Unanswered · Votes · Designing REST APIs`
 */
export function listTitle(
  { t, query }: PageContext,
  list: QuestionListView,
  lecture: { readonly position: number; readonly title: string } | null,
  title: string,
): string {
  const tab = list.tabs.find((one) => one.isCurrent && one.name !== 'all')
  const sort = list.sorts.slice(1).find((one) => one.isCurrent)
  const further = (['after', 'before'] as const).find((name) => queryParam({ query }, name) !== null)
  const parts = [
    lecture && t('questions.lecture.named', { position: lecture.position, title: lecture.title }),
    list.tag === null ? null : t('questions.tag.named', { tag: list.tag }),
    list.written,
    tab?.text,
    sort?.text,
    further && t(further === 'after' ? 'questions.pager.older' : 'questions.pager.newer'),
    title,
  ]
  return parts.filter(Boolean).join(' · ')
}
