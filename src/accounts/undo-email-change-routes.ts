import type { FastifyInstance } from 'fastify'
import { noteEvent } from '../events/note.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { languageOfRequest } from '../web/language.ts'
import { queryParam } from '../web/params.ts'
import { pathWith } from '../web/paths.ts'
import { undoEmailChange } from './email-change.ts'
import { linkForm } from './forms.ts'
import { showDeadLink } from './link-routes.ts'
import { findMailLink } from './mail-links.ts'

declare module '../web/views.ts' {
  interface Pages {
    'accounts/undo-email-change': UndoEmailChangePage
  }
}

export interface UndoEmailChangePage {
  readonly token: string
  /** The address that comes back. */
  readonly email: string
  /** Without the token, which the shell's own would carry on. */
  readonly signInPath: string
}

/** What the page of a dead link says. */
const DEAD_LINK = {
  title: 'accounts.deadLink.title',
  text: 'accounts.deadUndo.text',
  advice: 'accounts.deadUndo.advice',
}

/** The way back for whoever did not change their address themselves. Leads straight on to a new password. */
export function registerUndoEmailChange(app: FastifyInstance): void {
  app.get('/undo-email-change', async (request, reply) => {
    const token = queryParam(request, 'token') ?? ''
    const link = await findMailLink(app.db, ['undo-email-change'], token)
    if (link === null) return showDeadLink(request, reply, DEAD_LINK)
    const t = translatorOf(languageOfRequest(request))
    reply.header('cache-control', 'private, no-store')
    return reply.page('accounts/undo-email-change', {
      title: t('accounts.undo.title'),
      token,
      email: link.email,
      signInPath: '/sign-in',
    })
  })

  app.post('/undo-email-change', { config: { limit: 'signIn' } }, async (request, reply) => {
    const form = linkForm.parse(request.body)
    const token = form.ok ? await undoEmailChange(app.db, form.values.token) : null
    if (token === null) return showDeadLink(request, reply, DEAD_LINK)
    noteEvent(request, 'email-change-undone', { address: request.ip })
    return reply.flash('accounts.flash.takenBack').redirect(pathWith('/new-password', { token }), 303)
  })
}
