import type { FastifyInstance } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { languageOfRequest } from '../../web/language.ts'
import { pathWith } from '../../web/paths.ts'
import { showDeadLink } from '../identity/dead-link.ts'
import { linkForm } from '../identity/forms.ts'
import { type OpenedLink, openLink } from '../identity/opened-link.ts'
import { takeBack, type UndoPurpose } from './taking-back.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'accounts/take-back': TakeBackPage
  }
}

export interface TakeBackPage extends OpenedLink {
  /** Where the form goes. */
  readonly path: string
  /** Ready texts: what happens, and what if it was oneself. */
  readonly lead: string
  readonly notNeeded: string
}

/** What the page of a dead link says. */
const DEAD_LINK = {
  title: 'accounts.deadLink.title',
  text: 'accounts.deadUndo.text',
  advice: 'accounts.deadUndo.advice',
}

/**
 * The way back for an owner who did not change the address, or turn a second factor on, themselves. Leads straight on to a new
 * password.
 */
export function registerTakingBack(app: FastifyInstance): void {
  registerWayBack(app, '/undo-email-change', 'undo-email-change', 'undo')
  registerWayBack(app, '/undo-second-factor', 'undo-second-factor', 'undoFactor')
}

/** @param words names its own texts among the messages */
function registerWayBack(
  app: FastifyInstance,
  path: string,
  purpose: UndoPurpose,
  words: 'undo' | 'undoFactor',
): void {
  app.get(path, async (request, reply) => {
    const found = await openLink(request, reply, [purpose])
    if (found === null) return showDeadLink(request, reply, DEAD_LINK)
    const t = translatorOf(languageOfRequest(request))
    const texts = {
      title: t('accounts.undo.title'),
      lead: t(`accounts.${words}.lead`),
      notNeeded: t(`accounts.${words}.notNeeded`),
    }
    return reply.page('accounts/take-back', { ...texts, ...found.opened, path })
  })

  app.post(path, { config: { limit: 'signIn' } }, async (request, reply) => {
    const form = linkForm.parse(request.body)
    const token = form.ok ? await takeBack(app.db, purpose, form.values.token) : null
    if (token === null) return showDeadLink(request, reply, DEAD_LINK)
    noteEvent(request, 'email-change-undone', { address: request.ip })
    return reply.flash('accounts.flash.takenBack').redirect(pathWith('/new-password', { token }), 303)
  })
}
