import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeCursor } from '../../database/keyset.ts'
import type { Person } from '../../rights/person.ts'
import { translatorFor } from '../../web/language.ts'
import { pageRequest } from '../../web/pages.ts'
import { choiceParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { courseParam } from '../courses/course-bar.ts'
import {
  type ListedNotification,
  latestNotifications,
  NOTIFICATIONS_PER_PAGE,
  SHOW,
  type Show,
  seenNotifications,
  unseenNotifications,
} from './queries.ts'
import { type NotificationView, notificationView } from './view.ts'

/** views/notifications/index.eta */
interface NotificationsPage {
  readonly tabs: readonly { readonly text: string; readonly path: string; readonly isCurrent: boolean }[]
  readonly groups: readonly {
    readonly name: 'new' | 'earlier'
    readonly items: readonly NotificationView[]
  }[]
  readonly show: Show
  readonly olderPath: string | null
}

/** The unseen ones first, then a page of the others; the pages after the first have only these. */
export async function showNotifications(request: FastifyRequest, reply: FastifyReply, person: Person) {
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
  return reply.page<NotificationsPage>(
    'notifications/index',
    {
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
    },
    { robots: 'noindex' },
  )
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
export async function showPanel(request: FastifyRequest, reply: FastifyReply) {
  const person = request.requirePerson()
  const { server } = request
  const t = translatorFor(request)
  const told = await latestNotifications(server.db, person.id, SHOWN)
  const { unseenCount } = await server.ownParts(person.id)
  const course = (await courseParam(request))?.slug ?? null
  const look = { t, viewer: person, now: new Date() }
  const html = server.part('/notifications/_panel', {
    t,
    csrf: () => reply.csrfToken(),
    unseenCount,
    told: await Promise.all(told.map((one) => notificationView(one, look))),
    allPath: pathWith('/notifications', { course }),
    seenPath: pathWith('/notifications/seen', { course }),
    settingsPath: pathWith('/settings/notifications', { course }),
  })
  return reply.type('text/html; charset=utf-8').header('cache-control', 'private, no-store').send(html)
}
