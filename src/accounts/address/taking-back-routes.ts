import type { FastifyInstance } from 'fastify'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { pathWith } from '../../web/paths.ts'
import { orDeadLink, showDeadLink } from '../identity/dead-link.ts'
import { OF_LINK, type OpenedLink, openLink, tokenOf } from '../identity/opened-link.ts'
import { takingBack, type UndoPurpose } from './taking-back.ts'

interface TakeBackPage extends OpenedLink {
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
    const t = translatorFor(request)
    const texts = {
      title: t('accounts.undo.title'),
      lead: t(`accounts.${words}.lead`),
      notNeeded: t(`accounts.${words}.notNeeded`),
    }
    return reply.page<TakeBackPage>('accounts/take-back', { ...texts, ...found.opened, path })
  })

  openForm(app, path, takingBack, {
    key: (request) => ({ purpose, token: tokenOf(request) }),
    ...OF_LINK,
    done: (token) => pathWith('/new-password', { token }),
    flash: () => 'accounts.flash.takenBack',
    failed: orDeadLink(DEAD_LINK),
  })
}
