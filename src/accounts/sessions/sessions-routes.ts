import type { FastifyInstance } from 'fastify'
import { openForm } from '../../web/forms/door.ts'
import { textParam } from '../../web/params.ts'
import { securityPath } from '../../web/paths.ts'
import { sessionOf } from '../identity/own-account.ts'
import { otherSessionsEnd, sessionEnd } from './sessions.ts'

/** Ending what one is signed in on. */
export function registerSessions(app: FastifyInstance): void {
  const path = '/settings/sessions' as const
  const formPage = () => securityPath('devices')

  openForm(app, `${path}/:session/delete`, sessionEnd, {
    key: (request) => ({ ...sessionOf(request), name: textParam(request, 'session') }),
    formPage,
    done: formPage,
    flash: () => 'accounts.flash.sessionEnded',
  })
  openForm(app, `${path}/delete-others`, otherSessionsEnd, {
    key: sessionOf,
    formPage,
    done: formPage,
    flash: () => 'accounts.flash.otherSessionsEnded',
  })
}
