import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { writeCursor } from '../../database/keyset.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { pageRequest } from '../../web/pages.ts'
import { choiceParam, idParam, textParam } from '../../web/params.ts'
import { announcementPath, coursePath, pathWith, questionPath } from '../../web/paths.ts'
import { findNews } from '../announcements/announcement.ts'
import { courseParam } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import { findQuestion } from '../posts/find.ts'
import { markAnnouncementRead, noteAllRead, noteRead } from '../telling/read.ts'
import { allSeen, notificationOpening } from './operations.ts'
import {
  type ListedNotification,
  latestNotifications,
  NOTIFICATIONS_PER_PAGE,
  SHOW,
  type Show,
  seenNotifications,
  unseenNotifications,
} from './queries.ts'
import { notificationPath, notificationView } from './view.ts'

const PATH = '/notifications'
/** Of a page of ours: the latest thing on it, in milliseconds. */
const MOMENT = /^\d{1,13}$/

/** What one was told; opening it, and what is read. A GET changes none of it: scripts send the form that a question's page has. */
export function registerNotifications(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => {
    const page = await notificationsPage(request, request.requirePerson())
    return reply.page('notifications/index', page, { robots: 'noindex' })
  })
  registerReadingLists(app)
  app.get(`${PATH}/latest`, showPanel)

  openForm(app, `${PATH}/seen`, allSeen, {
    key: () => null,
    formPage: () => PATH,
    done: () => PATH,
    flash: () => 'notifications.flash.seen',
  })
  openForm(app, `${PATH}/:id/opening`, notificationOpening, {
    key: () => null,
    formPage: () => PATH,
    input: (request) => ({ id: idParam(request, 'id') }),
    done: ({ told, announcement, question, element }) => {
      if (told !== undefined) return told === null ? PATH : notificationPath(told)
      if (announcement !== undefined) return announcementPath(announcement)
      return `${questionPath(question)}${element === null ? '' : `#${element}`}`
    },
  })

  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/reading',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'follow')
      const until = untilOf(request)
      await noteRead(app.db, question.id, person.id, until)
      return reply.redirect(questionPath(question), 303)
    },
  )

  const newsPage = (request: FastifyRequest) => `/announcements/${idParam(request, 'id')}`
  app.post(
    '/announcements/:id/reading',
    { config: { limit: 'voting', needsPerson: true, formPage: newsPage } },
    async (request, reply) => {
      const { announcement } = await findNews(request, idParam(request, 'id'), 'follow-course')
      await markAnnouncementRead(app.db, announcement.id, request.requirePerson().id)
      return reply.redirect(announcementPath(announcement), 303)
    },
  )
}

function registerReadingLists(app: FastifyInstance): void {
  const config = { limit: 'voting', needsPerson: true } as const
  const unread = (path: string) => pathWith(path, { unread: 1 })
  const markAll = async (
    request: FastifyRequest,
    reply: FastifyReply,
    courseId: number | null,
    path: string,
  ) => {
    const person = request.requirePerson()
    await noteAllRead(app.db, courseId, person.id)
    return reply.flash('questions.flash.read').redirect(path, 303)
  }
  const listOfAll = { ...config, formPage: () => unread('/questions') }
  app.post('/questions/reading', { config: listOfAll }, async (request, reply) =>
    markAll(request, reply, null, unread('/questions')),
  )
  const formPage = (request: FastifyRequest) => unread(coursePath(textParam(request, 'course')))
  app.post('/courses/:course/reading', { config: { ...config, formPage } }, async (request, reply) => {
    const course = await courseFor(request, 'follow-course')
    return markAll(request, reply, course.id, unread(coursePath(course.slug)))
  })
}

/** Never the future: what comes later is not read yet. Without the field: all there is by now. */
function untilOf({ body }: FastifyRequest) {
  const until = typeof body === 'object' && body !== null && 'until' in body ? body.until : null
  if (typeof until !== 'string' || !MOMENT.test(until)) return sql<Date>`now()`
  return sql<Date>`least(now(), to_timestamp(${Number(until)} / 1000.0))`
}

/** The unseen ones first, then a page of the others; the pages after the first have only these. */
export async function notificationsPage(request: FastifyRequest, person: Person) {
  const { db } = request.server
  const show = choiceParam(request, 'show', SHOW, 'all')
  const { after } = pageRequest(request, 'time')
  const t = translatorFor(request)
  const isFirst = after === null || show === 'unread'
  const unseen = isFirst ? await unseenNotifications(db, person.id, after) : []
  const seen = show === 'unread' ? [] : await seenNotifications(db, person.id, after)
  const look = { t, viewer: person, now: new Date() }
  const shown = (rows: readonly ListedNotification[]) =>
    Promise.all(rows.slice(0, NOTIFICATIONS_PER_PAGE).map((row) => notificationView(row, look)))
  const groups = [
    { name: 'new', items: await shown(unseen) },
    { name: 'earlier', items: await shown(seen) },
  ] as const
  return {
    title: [...(show === 'all' ? [] : [t(`notifications.tab.${show}`)]), t('notifications.title')].join(
      ' · ',
    ),
    tabs: SHOW.map((name) => ({
      text: t(`notifications.tab.${name}`),
      path: pathWith('/notifications', { show: name === 'all' ? null : name }),
      isCurrent: name === show,
    })),
    groups: groups.filter(({ items }) => items.length > 0),
    show,
    olderPath: olderPath(show, show === 'unread' ? unseen : seen),
  }
}

function olderPath(show: Show, rows: readonly ListedNotification[]): string | null {
  const last = rows[NOTIFICATIONS_PER_PAGE - 1]
  if (rows.length <= NOTIFICATIONS_PER_PAGE || last === undefined) return null
  const after = writeCursor({ value: new Date(last.happenedAt).getTime(), id: last.id })
  return pathWith('/notifications', { show: show === 'all' ? null : show, after })
}

/** What the bell opens: the last things told. */
const SHOWN = 8

/** The piece of a page that public/js/bell-panel.js puts below the bell. Looking at it marks nothing as seen. */
async function showPanel(request: FastifyRequest, reply: FastifyReply) {
  const html = request.server.part('/notifications/_panel', await panelOf(request, reply))
  return reply.type('text/html; charset=utf-8').header('cache-control', 'private, no-store').send(html)
}

export async function panelOf(request: FastifyRequest, reply: FastifyReply) {
  const person = request.requirePerson()
  const { server } = request
  const t = translatorFor(request)
  const told = await latestNotifications(server.db, person.id, SHOWN)
  const { unseenCount } = await server.ownParts(person.id)
  const course = (await courseParam(request))?.slug ?? null
  const look = { t, viewer: person, now: new Date() }
  return {
    t,
    csrf: () => reply.csrfToken(),
    unseenCount,
    told: await Promise.all(told.map((one) => notificationView(one, look))),
    allPath: pathWith('/notifications', { course }),
    seenPath: pathWith('/notifications/seen', { course }),
    settingsPath: pathWith('/settings/notifications', { course }),
  }
}
