import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Cursor } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { pageAt, pageLinks, type WrittenCursors } from '../../web/pages.ts'
import { queryParam } from '../../web/params.ts'
import { deskPath, pathWith } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import type { NewerPost } from './newer-posts.ts'
import { openQuestion } from './open-question.ts'
import { type DeskPlace, deskPlace, placePath } from './place.ts'
import { countDesk, type DeskFilter, type DeskRow, listDesk, placeOnDesk } from './queries.ts'
import { deskRow } from './rows.ts'
import { DESK_VIEWS, isOfDesk } from './views.ts'

interface SentForm {
  readonly questionId: number
  readonly place: DeskPlace
  readonly cursors: WrittenCursors
  readonly form: FormState
  /** What somebody posted that the form had not seen; null: nothing. */
  readonly newer: NewerPost | null
  readonly status: number
}

export async function showDesk(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  sent: SentForm | null = null,
) {
  const { desk, address } = await deskPage(request, course, sent)
  return reply.page('desk/show', desk, {
    status: sent?.status ?? 200,
    address,
    course: course.slug,
    bar: await barOf(contextOf(request), course, 'desk'),
    robots: 'noindex',
    isForStaff: true,
    showsTexts: true,
  })
}

export type DeskPage = Awaited<ReturnType<typeof deskPage>>['desk']

async function deskPage(request: FastifyRequest, course: Course, sent: SentForm | null) {
  const { db, asides } = request.server
  const person = request.requirePerson()
  const t = translatorFor(request)
  const place = sent?.place ?? (await deskPlace(request, course))
  const filter: DeskFilter = {
    courseId: course.id,
    lectureId: place.lecture?.id ?? null,
    viewerId: person.id,
    view: place.view,
  }
  const cursors = sent?.cursors ?? {
    after: queryParam(request, 'after'),
    before: queryParam(request, 'before'),
  }
  const page = await listDesk(db, filter, pageAt(cursors, 'time'))
  const [counts, aside] = await Promise.all([countDesk(db, filter), asides.of(course.id)])
  const openId = sent?.questionId ?? idQuery(request, 'question') ?? nextFree(request, page.rows, person.id)
  const isChosen = sent !== null || ['question', 'next'].some((name) => queryParam(request, name) !== null)
  const addressOf = (opened: { question: number | null } | { next: number }) =>
    placePath(course.slug, place, { ...cursors, ...opened })
  const pathOf = (id: number) => `${addressOf({ question: id })}#open`
  const look = { t, viewerId: person.id, timeZone: person.timeZone ?? course.timeZone, now: new Date() }
  const rows = page.rows.map((row) => deskRow(row, { ...look, pathOf, openId }))
  const parameters = {
    view: place.view === 'waiting' ? null : place.view,
    lecture: place.lecture?.position ?? null,
  }
  const open =
    openId === null
      ? null
      : await openQuestion(request, {
          ...{ course, rows, openId, look, form: sent?.form ?? null, newer: sent?.newer ?? null },
          stayPath: pathOf(openId),
          onPathOf: (row) =>
            row === null ? placePath(course.slug, place) : `${addressOf({ next: row.id })}#open`,
          position: await positionOf(db, filter, openId, counts[place.view]),
        })
  const desk = {
    title: titleOf(t, open?.thread.question.title, place, course),
    tabs: DESK_VIEWS.map((view) => ({
      name: view,
      text: t(`desk.view.${view}`),
      path: placePath(course.slug, { ...place, view }),
      isCurrent: view === place.view,
      count: isOfDesk(view) ? counts[view] : null,
    })),
    order: isOfDesk(place.view) ? 'longest' : 'newest',
    isArchived: course.isArchived,
    lectures: aside.lectures.map(({ position, title }) => ({
      position,
      title,
      isCurrent: position === place.lecture?.position,
    })),
    path: deskPath(course.slug),
    keptView: parameters.view,
    kept: Object.entries({ ...parameters, ...cursors }).flatMap(([name, value]) =>
      value === null ? [] : [{ name, value: String(value) }],
    ),
    rows,
    open,
    // The address names the open question: where there is room for one of the two, it is shown, else the queue.
    isChosen,
    queuePath: addressOf({ question: null }),
    livePath: pathWith(`${deskPath(course.slug)}/live`, {}),
    savedPath: `${deskPath(course.slug)}/saved`,
    ...pageLinks(page, cursorOf, deskPath(course.slug), parameters),
  }
  return { desk, address: addressOf({ question: openId }) }
}

/** Begins with the question that is open: it tells where one is after a step. */
function titleOf(t: Translate, opened: string | undefined, place: DeskPlace, course: Course): string {
  const view = place.view === 'waiting' ? null : t(`desk.view.${place.view}`)
  const lecture =
    place.lecture === null ? null : t('desk.title.lecture', { position: place.lecture.position })
  const parts = [opened, view, lecture, t('desk.title', { course: course.title })]
  return parts.filter(Boolean).join(' · ')
}

function cursorOf(row: DeskRow): Cursor {
  return { value: new Date(row.at).getTime(), id: row.id }
}

/** From 1, of all that are counted: MAX_COUNTED at most. */
async function positionOf(db: Database, filter: DeskFilter, id: number, count: number) {
  const place = await placeOnDesk(db, filter, id)
  return place === null ? null : { place, count: Math.max(place, count) }
}

/** An id of the query string; null: none. */
function idQuery(request: FastifyRequest, name: string): number | null {
  const asked = queryParam(request, name)
  return asked !== null && /^[1-9]\d{0,14}$/.test(asked) ? Number(asked) : null
}

/** What comes `next` unless a colleague has it by now: then the first question that none has. */
function nextFree(request: FastifyRequest, rows: readonly DeskRow[], viewerId: number): number | null {
  const next = idQuery(request, 'next')
  const free = rows.filter(({ assignee_id: id }) => id === null || id === viewerId)
  return (free.find(({ id }) => id === next) ?? free[0])?.id ?? null
}
