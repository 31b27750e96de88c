import type { FastifyReply, FastifyRequest } from 'fastify'
import { translatorFor } from '../../web/language.ts'
import { pathWith } from '../../web/paths.ts'
import { courseParam } from '../courses/course-bar.ts'
import { latestNotifications } from './queries.ts'
import { notificationView } from './view.ts'

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
