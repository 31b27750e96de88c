import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Translate } from '../../messages/catalogue.ts'
import { forbidden, NeedsSignIn } from '../../operations/problem.ts'
import { may } from '../../rights/rights.ts'
import { escapeText } from '../../text/escape.ts'
import { languageOf } from '../../text/language.ts'
import { excerpt } from '../../text/plain.ts'
import { translatorFor } from '../../web/language.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { choiceParam } from '../../web/params.ts'
import { deskPath, moderationPath, pathWith } from '../../web/paths.ts'
import { type Byline, bylineOf, personByline } from '../authors/byline.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { waitedFor } from '../desk/rows.ts'
import { CASE_VIEWS, type CaseView, countCases, listCases, MAX_COUNTED, type QueuedCase } from './queue.ts'

/** Cases of a course, or those of the admins: views/cases/queue.eta. */
interface QueuePage extends PageLinks {
  readonly view: CaseView
  readonly tabs: readonly {
    readonly text: string
    readonly path: string
    readonly isCurrent: boolean
    /** Empty: none, or not counted. */
    readonly count: string
  }[]
  readonly rows: readonly QueueRow[]
  /** The desk, for when nothing waits; null: there is none. */
  readonly deskPath: string | null
}

interface QueueRow {
  readonly path: string
  readonly text: string
  readonly lang: string | null
  readonly wait: string
  readonly spokenWait: string
  readonly isHot: boolean
  readonly reason: string
  readonly by: string
  readonly state: string | null
  /** Further facts: the number of reports, that it was edited. */
  readonly facts: readonly string[]
  readonly claimer: Byline | null
  readonly claimText: string
}

/** The path of a course's queue; null: that of the admins. */
export const queuePath = (slug: string | null) => (slug === null ? '/moderation' : moderationPath(slug))
export const casePath = (id: number) => `/cases/${id}`

/** Beyond this a case has waited for long. */
const LONG_MS = 24 * 3_600_000
const TEXT_LENGTH = 90

/** The queue of a course; null: that of the admins. */
export async function showQueue(request: FastifyRequest, reply: FastifyReply, course: Course | null) {
  const viewer = request.person
  if (viewer === null) throw new NeedsSignIn()
  if (course === null && !may(viewer, 'moderate-forum')) throw forbidden()
  const t = translatorFor(request)
  const view = choiceParam(request, 'view', CASE_VIEWS, 'open')
  const { db } = request.server
  const filter = { viewer, courseId: course?.id ?? null, view }
  const [page, counts] = await Promise.all([
    listCases(db, filter, pageRequest(request, 'time')),
    countCases(db, filter),
  ])
  const path = queuePath(course?.slug ?? null)
  const parameters = { view: view === 'open' ? null : view }
  const now = new Date()
  return reply.page<QueuePage>(
    'cases/queue',
    {
      title: queueTitle(t, course, view),
      view,
      tabs: CASE_VIEWS.map((name) => ({
        text: t(`cases.view.${name}`),
        path: pathWith(path, { view: name === 'open' ? null : name }),
        isCurrent: name === view,
        count: name === 'decided' ? '' : countText(t, counts[name]),
      })),
      rows: page.rows.map((row) => queueRow(row, { t, viewerId: viewer.id, now, viewer })),
      deskPath: course === null ? null : deskPath(course.slug),
      ...pageLinks(page, (row) => ({ value: row.at.getTime(), id: row.id }), path, parameters),
    },
    {
      robots: 'noindex',
      isForStaff: true,
      address: pathWith(path, parameters),
      ...(course === null ? {} : { course: course.slug, bar: await barOf(request, course, 'moderation') }),
    },
  )
}

function countText(t: Translate, count: number): string {
  if (count === 0) return ''
  return t(count < MAX_COUNTED ? 'questions.row.number' : 'admin.people.more', { count })
}

function queueTitle(t: Translate, course: Course | null, view: CaseView): string {
  const queue = course === null ? t('cases.queue.title') : t('cases.queue.titleOf', { course: course.title })
  return view === 'open' ? queue : t('cases.queue.viewTitle', { view: t(`cases.view.${view}`), queue })
}

interface RowLook {
  readonly t: Translate
  readonly viewerId: number
  readonly viewer: NonNullable<FastifyRequest['person']>
  readonly now: Date
}

function queueRow(row: QueuedCase, { t, viewerId, viewer, now }: RowLook): QueueRow {
  const text = row.text === null ? t('cases.text.gone') : excerpt(escapeText(row.text), TEXT_LENGTH)
  const by =
    row.author_id === null ? t('cases.formerMember') : bylineOf({ t, viewer }, row, row.courseId ?? 0).text
  return {
    path: casePath(row.id),
    text,
    lang: row.text === null ? null : languageOf(text),
    wait: waitedFor(row.at, t, now, 'short'),
    spokenWait: waitedFor(row.at, t, now, 'spoken'),
    isHot: row.state === 'open' && now.getTime() - row.at.getTime() > LONG_MS,
    reason: t(`reports.reason.${row.reason}`),
    by:
      row.title === null
        ? t(`cases.by.${row.about}`, { name: by })
        : t(`cases.byIn.${row.about}`, { name: by, title: row.title }),
    state: row.state === 'open' ? null : t(`cases.state.${row.isRemoval ? 'removed' : row.state}`),
    facts: [
      ...(row.reportsCount > 0 ? [t('cases.reports', { count: row.reportsCount })] : []),
      ...(row.openedBy === viewerId ? [t('cases.openedByYou')] : []),
      ...(row.isEdited ? [t('cases.editedSince')] : []),
    ],
    claimer:
      row.claimedBy === null || row.claimedName === null
        ? null
        : personByline({ id: row.claimedBy, displayName: row.claimedName, role: row.claimedRole }),
    claimText:
      row.claimedBy === viewerId
        ? t('cases.claimed.you')
        : t('cases.claimed.other', { name: row.claimedName ?? '' }),
  }
}
