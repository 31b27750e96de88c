import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { type Translate, translatorOf } from '../../messages/catalogue.ts'
import { notFound } from '../../operations/problem.ts'
import { formatMoment } from '../../text/dates.ts'
import { languageOfRequest } from '../../web/language.ts'
import { textParam } from '../../web/params.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { deviceName } from './device.ts'
import { endNamedSession, type ListedSession, listSessions } from './session-list.ts'
import { endOtherSessions } from './sessions.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'accounts/sessions': SessionsPage
  }
}

export interface SessionsPage extends InSettings {
  readonly sessions: readonly SessionRow[]
}

interface SessionRow {
  /** Where it ends. */
  readonly endPath: string
  /** Such as "Firefox on Android". */
  readonly device: string
  readonly signedIn: Moment
  readonly lastSeen: Moment
  readonly isThis: boolean
}

interface Moment {
  readonly iso: string
  readonly text: string
}

/** Where one is signed in, and ending that. */
export function registerSessions(app: FastifyInstance): void {
  const path = '/settings/sessions' as const
  const config = { limit: 'posting', needsPerson: true, formPage: () => path } as const

  app.get(path, async (request, reply) => {
    const person = request.requirePerson()
    const t = translatorOf(languageOfRequest(request))
    const sessions = await listSessions(app.db, person.id, request.sessionToken)
    return reply.page('accounts/sessions', {
      title: t('accounts.sessions.title'),
      sessions: sessions.map((session) => sessionRow(request, session, t)),
      ...settingsNav(request, path),
    })
  })

  app.post(`${path}/:session/delete`, { config }, async (request, reply) => {
    const personId = request.requirePerson().id
    if (!(await endNamedSession(app.db, personId, textParam(request, 'session')))) throw notFound()
    noteEvent(request, 'session-ended', { personId })
    return reply.flash('accounts.flash.sessionEnded').redirect(path, 303)
  })

  app.post(`${path}/delete-others`, { config }, async (request, reply) => {
    const personId = request.requirePerson().id
    await endOtherSessions(app.db, personId, request.sessionToken)
    noteEvent(request, 'other-sessions-ended', { personId })
    return reply.flash('accounts.flash.otherSessionsEnded').redirect(path, 303)
  })
}

function sessionRow(request: FastifyRequest, session: ListedSession, t: Translate): SessionRow {
  const timeZone = request.person?.timeZone ?? request.server.config.timeZone
  const moment = (at: Date) => ({ iso: at.toISOString(), text: formatMoment(at, timeZone) })
  return {
    endPath: `/settings/sessions/${session.name}/delete`,
    device: deviceName(session.userAgent, t),
    signedIn: moment(session.signedInAt),
    lastSeen: moment(session.lastSeenAt),
    isThis: session.isThis,
  }
}
