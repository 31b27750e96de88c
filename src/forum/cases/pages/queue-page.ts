import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageAlong, pageOf } from '../../../database/keyset.ts'
import type { Database } from '../../../database/schema.ts'
import { forbidden } from '../../../kernel/problem.ts'
import { type Actor, may } from '../../../kernel/rights/rights.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import { escapeText } from '../../../text/escape.ts'
import { languageOf } from '../../../text/language.ts'
import { excerpt } from '../../../text/plain.ts'
import { listPage, tabsAt } from '../../../web/list.ts'
import { page } from '../../../web/page.ts'
import { queryParam } from '../../../web/params.ts'
import { deskPath, moderationPath, pathWith } from '../../../web/paths.ts'
import { bylineOf, personByline } from '../../authors/byline.ts'
import { sealedName } from '../../authors/sealed-name.ts'
import { headIn } from '../../courses/course-page.ts'
import type { Course } from '../../courses/queries.ts'
import { waitedFor } from '../../desk/rows.ts'
import { handledBy, isHandledByPerson } from '../../handling/handlers.ts'
import { caseOfObjection } from '../../handling/in-force.ts'
import { accusedOf, type CaseRow } from '../find.ts'
import { EXCERPT } from '../report.ts'
import { heldCount, heldRow, listHeld } from './held-list.ts'
import { MOST_LISTED } from './listed-posts.ts'

/** The path of a course's queue; null: that of the admins. */
export const queuePath = (slug: string | null) => (slug === null ? '/moderation' : moderationPath(slug))
export const casePath = (id: number) => `/cases/${id}`

/** Beyond this a case has waited for long. */
const LONG_MS = 24 * 3_600_000
const TEXT_LENGTH = 90

/** The list with each row selected. */
const ALL = 'all'

/** The queue of a course; null: that of the admins. */
export const showQueue = page(
  'cases/queue',
  { robots: 'noindex', isForStaff: true, script: 'queue' },
  async (context, course: Course | null) => {
    const { t, db, now } = context
    const viewer = context.person()
    if (course === null && !may(viewer, 'moderate-forum')) throw forbidden()
    const viewText = (name: QueueView) => t(`cases.view.${name}`)
    const select = queryParam(context, 'select')
    const isLong = select === '1' || select === ALL
    const size = isLong ? MOST_LISTED : CASES_PER_PAGE
    const path = queuePath(course?.slug ?? null)
    const queue = tabsAt(context, path, 'view', QUEUE_VIEWS, viewText, { select: isLong ? 1 : null })
    const [courseId, view] = [course?.id ?? null, queue.chosen]
    const look = { t, now, viewer, path: queue.path, isOfForum: course === null }
    const [listed, counts] = await Promise.all([
      view === 'held'
        ? rowsOf(
            (asked) => listHeld(db, courseId, asked, size),
            (row, index, all) => heldRow(row, look, all[index + 1] ?? all[index - 1]),
          )
        : rowsOf(
            (asked) => listCases(db, { viewer, courseId, view }, asked, size),
            (row) => queueRow(row, look),
          ),
      countCases(db, { viewer, courseId }),
    ])
    async function rowsOf<Row, View>(
      read: (asked: PageRequest) => Promise<Page<Row>>,
      viewOf: (row: Row, index: number, all: readonly Row[]) => View,
    ) {
      const page = await listPage(context, queue.path, 'time', read)
      return { rows: page.rows.map(viewOf), links: page.links }
    }
    const title =
      course === null ? t('cases.queue.title') : t('cases.queue.titleOf', { course: course.title })
    const shown = view === 'open' ? null : view
    const countOf = (name: QueueView) => (name === 'decided' ? '' : countText(t, counts[name]))
    return {
      title: queue.titled(title),
      view,
      tabs: queue.tabs.map((tab) => ({ ...tab, n: countOf(tab.name) })),
      rows: listed.rows,
      // null: nothing is done with several of them.
      bulk: bulkOf(path, view),
      morePath: isLong || listed.links.olderPath === null ? null : pathWith(path, { view: shown, select: 1 }),
      isAllSelected: select === ALL,
      // Where no script selects all.
      allPath: pathWith(path, { view: shown, select: ALL }),
      deskPath: course && deskPath(course.slug),
      ...listed.links,
      head: { address: queue.path, ...(await headIn(context, course, 'moderation')) },
    }
  },
)

/** What can be done with the selected rows of a view. */
function bulkOf(path: string, view: QueueView) {
  const action = `${path}/bulk`
  if (view === 'held') return { action, field: 'post', acts: ['release', 'reject', 'spammer'] }
  return view === 'open' ? { action, field: 'case', acts: ['decline', 'delete', 'spammer'] } : null
}

function countText(t: Translate, count: number): string {
  if (count === 0) return ''
  return t(count < MAX_COUNTED ? 'questions.row.number' : 'admin.people.more', { count })
}

/** A case as queues show it, and what selects it. */
export function queueRow(row: QueuedCase, { t, viewer, now }: { t: Translate; viewer: Actor; now: Date }) {
  const { about, title, claimed_by: claimerId, claimer_name: claimer } = row
  const text = row.text === null ? t('cases.text.gone') : excerpt(escapeText(row.text), TEXT_LENGTH)
  const author = accusedOf(row)
  const name =
    author === null ? t('cases.formerMember') : bylineOf({ t, viewer }, author, row.course_id ?? 0).text
  return {
    value: String(row.id),
    path: casePath(row.id),
    text,
    lang: row.text === null ? null : languageOf(text),
    wait: waitedFor(row.at, t, now, 'short'),
    spokenWait: waitedFor(row.at, t, now, 'spoken'),
    isHot: row.state === 'open' && now.getTime() - row.at.getTime() > LONG_MS,
    reason: t(`reports.reason.${row.reason}`),
    by: title === null ? t(`cases.by.${about}`, { name }) : t(`cases.byIn.${about}`, { name, title }),
    state: row.state === 'open' ? null : t(`cases.state.${row.isRemoval ? 'removed' : row.state}`),
    facts: [
      ...(row.reports_count > 0 ? [t('cases.reports', { count: row.reports_count })] : []),
      ...(row.opened_by === viewer.id ? [t('cases.openedByYou')] : []),
      ...(row.isEdited ? [t('cases.editedSince')] : []),
    ],
    claimer:
      claimerId === null || claimer === null
        ? null
        : personByline({ id: claimerId, displayName: claimer, role: row.claimer_role }),
    acts: null,
    claimText:
      claimerId === viewer.id ? t('cases.claimed.you') : t('cases.claimed.other', { name: claimer ?? '' }),
  }
}

export const CASE_VIEWS = ['open', 'objections', 'decided'] as const
type CaseView = (typeof CASE_VIEWS)[number]
/** Of these `held` lists posts. */
const QUEUE_VIEWS = ['open', 'held', 'objections', 'decided'] as const
type QueueView = (typeof QUEUE_VIEWS)[number]
export const CASES_PER_PAGE = 30
/** More are not counted one by one. */
const MAX_COUNTED = 100

interface QueuedCase extends CaseRow {
  /** When it was opened or decided. */
  readonly at: Date
  /** It hid or deleted the post. */
  readonly isRemoval: boolean
  readonly isEdited: boolean
  /** The beginning of the text as it was reported; null: redacted or past its term. */
  readonly text: string | null
  /** The title of the post's question; null: deleted, or the case is about a person. */
  readonly title: string | null
}

/** The queue of a course, or (null) of the admins. */
export interface QueueFilter {
  readonly viewer: Actor
  readonly courseId: number | null
  readonly view: CaseView
  /** Of these alone; left out: of all. */
  readonly only?: readonly number[]
}

/** The condition of a queue's cases: those that wait in the course, or with the admins, who see every decision. */
const IN_VIEW: Readonly<Record<CaseView, (courseId: number | null) => RawBuilder<unknown>>> = {
  open: (courseId) => sql`matter.state = 'open' and ${ofQueue(courseId)}`,
  // Those that wait are few, and found first, by objections_waiting: however many cases were decided.
  objections: (courseId) => sql`matter.state <> 'open' and ${ofQueue(courseId)} and matter.id = any(array(
    select ${caseOfObjection} from objections where objections.answered_at is null))`,
  decided: (courseId) => sql`matter.state <> 'open' and ${ofQueue(courseId)}`,
}

const ofQueue = (courseId: number | null) =>
  courseId === null
    ? sql`matter.is_for_admins`
    : sql`(not matter.is_for_admins and matter.course_id = ${courseId})`

/** The title of the question of an answer or reply, unless that is deleted. */
const titleOf = (table: 'answers' | 'replies') => sql`(
  select q.title from questions as q where q.id = ${sql.ref(`${table}.question_id`)} and q.deleted_at is null)`

/** One page of a queue: what is open the oldest first, what is decided the latest first. */
export async function listCases(
  db: Database,
  { viewer, courseId, view, only }: QueueFilter,
  request: PageRequest,
  size = CASES_PER_PAGE,
): Promise<Page<QueuedCase>> {
  const [at, first] =
    view === 'decided'
      ? (['matter.decided_at', 'greatest'] as const)
      : (['matter.opened_at', 'smallest'] as const)
  const { beyond, order } = pageAlong(at, 'matter.id', 'time', request, first)
  const among = only === undefined ? sql`` : sql`and matter.id = any(${[...only]}::bigint[])`
  // In two steps: PostgreSQL takes twenty times as long to plan all these joins together as to do them.
  const { rows } = await sql<QueuedCase>`
    with matter as materialized (
      select matter.*, ${sealedName('accused.display_name')} as author_name, accused_member.role as author_role from cases as matter
      ${handledBy(viewer)}
      where ${IN_VIEW[view](courseId)} and ${beyond} and ${isHandledByPerson} ${among}
      order by ${order} limit ${size + 1})
    select matter.*, ${sql.ref(at)} as at, false as author_left, coalesce(post.is_anonymous, false) as is_anonymous, post.title,
      exists (select from measures where measures.case_id = matter.id and measures.kind in ('hide', 'delete')) as "isRemoval",
      post.version is distinct from matter.text_version and matter.about <> 'person' and post.version is not null as "isEdited",
      (select coalesce(kept.excerpt, left(kept.body, ${EXCERPT}), kept.title) from case_snapshots as kept
        where kept.case_id = matter.id and kept.text_version = matter.text_version) as text,
      claimer.display_name as claimer_name, claimer.role as claimer_role
    from matter
    left join lateral (
      select version::text, is_anonymous, case when deleted_at is null then title end as title
      from questions where id = matter.question_id
      union all select version::text, is_anonymous, ${titleOf('answers')} from answers where id = matter.answer_id
      union all select version::text, is_anonymous, ${titleOf('replies')} from replies where id = matter.reply_id) as post on true
    left join lateral (
      select people.display_name, member.role from people
      left join course_members as member on member.course_id = matter.course_id and member.person_id = people.id
      where people.id = matter.claimed_by and matter.claimed_until > now()) as claimer on true
    order by ${order}`.execute(db)
  return pageOf(rows, size, request, (row) => row.at)
}

/** How many cases of a queue wait, to be decided or for the answer to an objection, and how many posts: MAX_COUNTED at most. */
export async function countCases(
  db: Database,
  { viewer, courseId }: Omit<QueueFilter, 'view' | 'only'>,
): Promise<Readonly<Record<Exclude<QueueView, 'decided'>, number>>> {
  const counted = (view: Exclude<CaseView, 'decided'>) => sql`(select count(*) from (
    select from cases as matter ${handledBy(viewer)} where ${IN_VIEW[view](courseId)} and ${isHandledByPerson}
    limit ${sql.lit(MAX_COUNTED)}) as counted)::integer`
  const { rows } = await sql<{ open: number; held: number; objections: number }>`
    select ${counted('open')} as open, ${heldCount(courseId, MAX_COUNTED)} as held, ${counted('objections')} as objections`.execute(
    db,
  )
  return rows[0] ?? { open: 0, held: 0, objections: 0 }
}
