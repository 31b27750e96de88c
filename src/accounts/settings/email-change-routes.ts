import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { perform } from '../../operations/perform.ts'
import type { FormState } from '../../web/form.ts'
import { openForm, surroundingsOf } from '../../web/forms/door.ts'
import { addressOwnerTelling } from '../address/address-taken.ts'
import { emailForm } from '../identity/forms.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { atPace } from '../identity/pace.ts'
import { askWhoItIs } from '../identity/reauthentication.ts'
import { emailChangeRequest } from './operations.ts'
import { showSettings } from './settings-page.ts'

/** Asking for another address, in the settings. It is the account's once a link sent there is used: email-confirmation-routes.ts. */
export function registerEmailChange(app: FastifyInstance, guesses: Guesses): void {
  openForm(app, '/settings/email', emailChangeRequest, {
    key: sessionOf,
    formPage: () => '/settings',
    async instead(request, reply) {
      const form = emailForm.parse(request.body)
      if (!form.ok) return show(request, reply, form)
      const typed = { field: 'email_password', password: form.values.email_password }
      const refusal = await askWhoItIs(request, reply, guesses, form, typed)
      return refusal === null ? null : show(request, reply, refusal.form, refusal.status)
    },
    pace: atPace,
    // Separately: a transaction that locks two people at once might deadlock with another one.
    async shown(request, _, { email, isTaken }) {
      const call = { actor: request.person, key: null, input: { email } }
      if (isTaken) await perform(app.db, addressOwnerTelling, call, surroundingsOf(request))
    },
    done: () => '/settings#email',
    flash: () => (app.config.smtpUrl === null ? 'accounts.emailChange.kept' : 'accounts.flash.newEmailSent'),
    refused: show,
  })
}

function show(request: FastifyRequest, reply: FastifyReply, email: FormState, status = 422) {
  return showSettings(request, reply, request.requirePerson(), { email }, status)
}
