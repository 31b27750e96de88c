import type { FastifyInstance } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { Problem } from '../../operations/problem.ts'
import { refuse } from '../../web/form.ts'
import { askForEmailChange } from '../address/email-change.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import { emailForm } from '../identity/forms.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { atPace } from '../identity/pace.ts'
import { askWhoItIs } from '../identity/reauthentication.ts'
import { showSettings } from './settings-page.ts'

/** Asking for another address, in the settings. It is the account's once a link sent there is used: email-confirmation-routes.ts. */
export function registerEmailChange(app: FastifyInstance, guesses: Guesses): void {
  const config = { limit: 'mail', needsPerson: true, formPage: () => '/settings' } as const
  app.post('/settings/email', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const form = emailForm.parse(request.body)
    if (!form.ok) return showSettings(request, reply, person, { email: form }, 422)
    const { new_email: email, email_password: password } = form.values
    const refusal = await askWhoItIs(request, reply, guesses, form, { field: 'email_password', password })
    if (refusal !== null) return showSettings(request, reply, person, { email: refusal.form }, refusal.status)
    if (email === person.email) {
      const same = refuse(form, 'new_email', 'accounts.emailChange.same')
      return showSettings(request, reply, person, { email: same }, 422)
    }
    const isSent = await atPace(
      askForEmailChange(app.db, sessionOf(request), email, circumstancesOf(request)),
    )
    if (!isSent) throw new Problem('tooOften', 60 * 60)
    noteEvent(request, 'email-change-asked', {})
    return reply.flash('accounts.flash.newEmailSent').redirect('/settings#email', 303)
  })
}
