import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { textParam } from '../../web/params.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { sessionOf } from '../identity/in-session.ts'
import { deviceName } from './device.ts'
import { otherSessionsEnd, sessionEnd } from './operations.ts'
import { type ListedSession, listSessions } from './session-list.ts'

interface SessionsPage extends InSettings {
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
  const formPage = () => path

  app.get(path, async (request, reply) => {
    const person = request.requirePerson()
    const t = translatorFor(request)
    const sessions = await listSessions(app.db, person.id, request.sessionToken)
    return reply.page<SessionsPage>('accounts/sessions', {
      title: t('accounts.sessions.title'),
      sessions: sessions.map((session) => sessionRow(request, session, t)),
      ...settingsNav(request, path),
    })
  })

  openForm(app, `${path}/:session/delete`, sessionEnd, {
    key: (request) => ({ ...sessionOf(request), name: textParam(request, 'session') }),
    formPage,
    done: () => path,
    flash: () => 'accounts.flash.sessionEnded',
  })
  openForm(app, `${path}/delete-others`, otherSessionsEnd, {
    key: sessionOf,
    formPage,
    done: () => path,
    flash: () => 'accounts.flash.otherSessionsEnded',
  })
}

function sessionRow(request: FastifyRequest, session: ListedSession, t: Translate): SessionRow {
  const timeZone = request.person?.timeZone ?? request.server.config.timeZone
  const moment = (at: Date) => writtenMoment(at, timeZone, t)
  return {
    endPath: `/settings/sessions/${session.name}/delete`,
    device: deviceName(session.userAgent, t),
    signedIn: moment(session.signedInAt),
    lastSeen: moment(session.lastSeenAt),
    isThis: session.isThis,
  }
}
