import type { FastifyInstance } from 'fastify'
import { noteEvent } from '../events/note.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { languageOfRequest } from '../web/language.ts'
import { forbidden, Problem } from '../web/problem.ts'
import { circumstancesOf } from './circumstances.ts'
import { CONFIRMING, confirmEmail, findMailbox, sendConfirmation } from './email-confirmation.ts'
import { linkForm } from './forms.ts'
import { showDeadLink } from './link-routes.ts'
import { type OpenedLink, openLink } from './opened-link.ts'

declare module '../web/views.ts' {
  interface Pages {
    'accounts/confirm-email': OpenedLink
  }
}

/** What the page of a dead link says. */
const DEAD_LINK = {
  title: 'accounts.deadLink.title',
  text: 'accounts.deadConfirmation.text',
  advice: 'accounts.deadConfirmation.advice',
}

/** Confirming that a mailbox is one's own, by a link sent there. Whoever can open it need not be signed in. */
export function registerEmailConfirmation(app: FastifyInstance): void {
  app.get('/confirm-email', async (request, reply) => {
    const found = await openLink(request, reply, CONFIRMING)
    if (found === null) return showDeadLink(request, reply, DEAD_LINK)
    const title = translatorOf(languageOfRequest(request))('accounts.confirm.title')
    return reply.page('accounts/confirm-email', { title, ...found.opened })
  })

  app.post('/confirm-email', { config: { limit: 'signIn' } }, async (request, reply) => {
    const form = linkForm.parse(request.body)
    const personId = form.ok ? await confirmEmail(app.db, form.values.token, circumstancesOf(request)) : null
    if (personId === null) return showDeadLink(request, reply, DEAD_LINK)
    noteEvent(request, 'email-confirmed', { personId })
    const path = request.person === null ? '/sign-in' : '/settings'
    return reply.flash('accounts.flash.emailConfirmed').redirect(path, 303)
  })

  const config = { limit: 'mail', needsPerson: true, formPage: () => '/settings' } as const
  app.post('/settings/email/confirmation', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const { email, isConfirmed } = await findMailbox(app.db, person.id)
    if (email === null) throw forbidden()
    if (!isConfirmed) {
      const to = { personId: person.id, email, language: person.language }
      const isSent = await app.db
        .transaction()
        .execute((write) => sendConfirmation(write, to, circumstancesOf(request)))
      if (!isSent) throw new Problem(429, 'tooOften', 60 * 60)
    }
    return reply.flash('accounts.flash.confirmationSent').redirect('/settings#email', 303)
  })
}
