import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { listPage, tabsAt } from '../../web/list.ts'
import { contextOf, page } from '../../web/page.ts'
import { idParam, textParam } from '../../web/params.ts'
import { announcementPath, coursePath, pathWith, questionPath } from '../../web/paths.ts'
import { findNews } from '../announcements/announcement.ts'
import { courseParam } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { findQuestion } from '../posts/find.ts'
import { markAnnouncementRead, noteAllRead, noteRead } from '../telling/read.ts'
import { allSeen, notificationOpening } from './operations.ts'
import { latestNotifications, listNotifications, SHOW } from './queries.ts'
import { notificationPath, notificationView } from './view.ts'

const PATH = '/notifications'
/** Of a page of ours: the latest thing on it, in milliseconds. */
const MOMENT = /^\d{1,13}$/

/** What one was told; opening it, and what is read. A GET changes none of it: scripts send the form that a question's page has. */
export function registerNotifications(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showNotifications(request, reply))
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
    done({ told, question }) {
      if (told !== null) return notificationPath(told)
      return question === undefined ? PATH : questionPath(question)
    },
  })

  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/reading',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'follow')
      await noteRead(app.db, question.id, person.id, untilOf(request))
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
  async function markAll(request: FastifyRequest, reply: FastifyReply, course: Course | null) {
    await noteAllRead(app.db, course?.id ?? null, request.requirePerson().id)
    const list = course === null ? '/questions' : coursePath(course.slug)
    return reply.flash('questions.flash.read').redirect(unread(list), 303)
  }
  const listOfAll = { ...config, formPage: () => unread('/questions') }
  app.post('/questions/reading', { config: listOfAll }, (request, reply) => markAll(request, reply, null))
  const formPage = (request: FastifyRequest) => unread(coursePath(textParam(request, 'course')))
  app.post('/courses/:course/reading', { config: { ...config, formPage } }, async (request, reply) =>
    markAll(request, reply, await courseFor(request, 'follow-course')),
  )
}

/** Never the future: what comes later is not read yet. Without the field: all there is by now. */
function untilOf({ body }: FastifyRequest) {
  const { until } = sentFields(body)
  if (typeof until !== 'string' || !MOMENT.test(until)) return sql<Date>`now()`
  return sql<Date>`least(now(), to_timestamp(${Number(until)} / 1000.0))`
}

export const showNotifications = page('notifications/index', { robots: 'noindex' }, async (context) => {
  const { t, db, now } = context
  const person = context.person()
  const list = tabsAt(context, PATH, 'show', SHOW, (name) => t(`notifications.tab.${name}`))
  const { rows, links } = await listPage(context, list.path, 'time', ({ after }) =>
    listNotifications(db, person.id, list.chosen, after),
  )
  const groups = [...Map.groupBy(rows, ({ isSeen }) => (isSeen ? 'earlier' : 'new'))]
  return {
    title: list.titled(t('notifications.title')),
    tabs: list.tabs,
    groups: await Promise.all(
      groups.map(async ([name, told]) => ({
        name,
        items: await Promise.all(told.map((row) => notificationView(row, { t, viewer: person, now }))),
      })),
    ),
    show: list.chosen,
    ...links,
  }
})

/** What the bell opens: the last things told. */
const SHOWN = 8

/** The piece of a page that public/js/bell-panel.js puts below the bell. Looking at it marks nothing as seen. */
async function showPanel(request: FastifyRequest, reply: FastifyReply) {
  const html = request.server.part('/notifications/_panel', await panelOf(request, reply))
  return reply.type('text/html; charset=utf-8').header('cache-control', 'private, no-store').send(html)
}

export async function panelOf(request: FastifyRequest, reply: FastifyReply) {
  const person = request.requirePerson()
  const { t, db, server, now } = contextOf(request)
  const told = await latestNotifications(db, person.id, SHOWN)
  const { unseenCount } = await server.ownParts(person.id)
  const course = (await courseParam(request))?.slug ?? null
  return {
    t,
    csrf: () => reply.csrfToken(),
    unseenCount,
    told: await Promise.all(told.map((one) => notificationView(one, { t, viewer: person, now }))),
    allPath: pathWith(PATH, { course }),
    seenPath: pathWith(`${PATH}/seen`, { course }),
    settingsPath: pathWith('/settings/notifications', { course }),
  }
}
