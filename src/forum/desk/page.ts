import type { Database } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import type { FormState } from '../../web/form.ts'
import { pageLinks, pageRequest } from '../../web/list.ts'
import { type Address, queryParam } from '../../web/params.ts'
import { deskPath } from '../../web/paths.ts'
import { pageOfCourse } from '../courses/course-page.ts'
import type { Course } from '../courses/queries.ts'
import type { NewerPost } from './newer-posts.ts'
import { openQuestion } from './open-question.ts'
import { type DeskPlace, deskPlace, placePath } from './place.ts'
import { countDesk, type DeskFilter, type DeskRow, listDesk, placeOnDesk } from './queries.ts'
import { deskRow } from './rows.ts'
import { DESK_VIEWS, isOfDesk } from './views.ts'

/** The form that was sent, and where on the desk it stood. */
interface SentForm {
  readonly questionId: number
  readonly place: DeskPlace
  readonly cursors: { readonly after: string | null; readonly before: string | null }
  readonly form: FormState
  /** What somebody posted that the form had not seen; null: nothing. */
  readonly newer: NewerPost | null
}

export const showDesk = pageOfCourse(
  'desk/show',
  { place: 'desk', robots: 'noindex', isForStaff: true, showsTexts: true },
  async (context, sent: SentForm | null = null) => {
    const { t, db, course, now } = context
    const { id: viewerId } = context.person()
    const place = sent?.place ?? (await deskPlace(context, course))
    const { view, lecture } = place
    const filter = { courseId: course.id, lectureId: lecture?.id ?? null, viewerId, view }
    const cursors = sent?.cursors ?? {
      after: queryParam(context, 'after'),
      before: queryParam(context, 'before'),
    }
    const page = await listDesk(db, filter, pageRequest({ query: cursors }, 'time'))
    const [counts, { lectures }] = await Promise.all([
      countDesk(db, filter),
      context.server.asides.of(course.id),
    ])
    const openId = sent?.questionId ?? idQuery(context, 'question') ?? nextFree(context, page.rows, viewerId)
    const addressOf = (opened: { question: number | null } | { next: number }) =>
      placePath(course.slug, place, { ...cursors, ...opened })
    const pathOf = (id: number) => `${addressOf({ question: id })}#open`
    const look = { t, viewerId, timeZone: await context.timeZone(), now }
    const rows = page.rows.map((row) => deskRow(row, { ...look, pathOf, openId }))
    const path = deskPath(course.slug)
    const parameters = { view: view === 'waiting' ? null : view, lecture: lecture?.position ?? null }
    const open =
      openId === null
        ? null
        : await openQuestion(context, {
            ...{ rows, openId, look, form: sent?.form ?? null, newer: sent?.newer ?? null },
            stayPath: pathOf(openId),
            onPathOf: (row) =>
              row === null ? placePath(course.slug, place) : `${addressOf({ next: row.id })}#open`,
            position: await positionOf(db, filter, openId, counts[view]),
          })
    return {
      title: titleOf(t, open?.thread.question.title, place, course),
      tabs: DESK_VIEWS.map((name) => ({
        name,
        text: t(`desk.view.${name}`),
        path: placePath(course.slug, { view: name, lecture }),
        isCurrent: name === view,
        count: isOfDesk(name) ? counts[name] : null,
      })),
      order: isOfDesk(view) ? 'longest' : 'newest',
      isArchived: course.isArchived,
      lectures: lectures.map(({ position, title }) => ({
        position,
        title,
        isCurrent: position === lecture?.position,
      })),
      path,
      keptView: parameters.view,
      kept: Object.entries({ ...parameters, ...cursors }).flatMap(([name, value]) =>
        value === null ? [] : [{ name, value: String(value) }],
      ),
      rows,
      open,
      // The address names the open question: where there is room for one of the two, it is shown, else the queue.
      isChosen: sent !== null || ['question', 'next'].some((name) => queryParam(context, name) !== null),
      queuePath: addressOf({ question: null }),
      livePath: `${path}/live`,
      savedPath: `${path}/saved`,
      ...pageLinks(page, placePath(course.slug, place)),
      head: { address: addressOf({ question: openId }) },
    }
  },
)

/** Begins with the question that is open: it tells where one is after a step. */
function titleOf(t: Translate, opened: string | undefined, place: DeskPlace, course: Course): string {
  const view = place.view === 'waiting' ? null : t(`desk.view.${place.view}`)
  const lecture =
    place.lecture === null ? null : t('desk.title.lecture', { position: place.lecture.position })
  const parts = [opened, view, lecture, t('desk.title', { course: course.title })]
  return parts.filter(Boolean).join(' · ')
}

/** From 1, of all that are counted: MAX_COUNTED at most. */
async function positionOf(db: Database, filter: DeskFilter, id: number, count: number) {
  const place = await placeOnDesk(db, filter, id)
  return place === null ? null : { place, count: Math.max(place, count) }
}

/** An id of the query string; null: none. */
function idQuery(address: Pick<Address, 'query'>, name: string): number | null {
  const asked = queryParam(address, name)
  return asked !== null && /^[1-9]\d{0,14}$/.test(asked) ? Number(asked) : null
}

/** What comes `next` unless a colleague has it by now: then the first question that none has. */
function nextFree(address: Pick<Address, 'query'>, rows: readonly DeskRow[], viewerId: number) {
  const next = idQuery(address, 'next')
  const free = rows.filter(({ assignee_id: id }) => id === null || id === viewerId)
  return (free.find(({ id }) => id === next) ?? free[0])?.id ?? null
}
