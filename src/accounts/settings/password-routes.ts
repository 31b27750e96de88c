import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forbidden } from '../../operations/problem.ts'
import { Refused } from '../../operations/refused.ts'
import type { FormState } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { passwordForm } from '../identity/forms.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { hashNewPassword } from '../identity/new-password.ts'
import { askWhoItIs } from '../identity/reauthentication.ts'
import { passwordChange } from './operations.ts'
import { showSettings } from './settings-page.ts'

/** Setting a new password, in the settings. */
export function registerPasswordChange(app: FastifyInstance, guesses: Guesses): void {
  openForm(app, '/settings/password', passwordChange, {
    key: sessionOf,
    formPage: () => '/settings',
    async instead(request, reply) {
      const form = passwordForm.parse(request.body)
      if (!form.ok) return show(request, reply, form)
      if (request.requirePerson().email === null) throw forbidden()
      const typed = { field: 'current_password', password: form.values.current_password }
      const refusal = await askWhoItIs(request, reply, guesses, form, typed)
      return refusal === null ? null : show(request, reply, refusal.form, refusal.status)
    },
    async input(request) {
      const form = passwordForm.parse(request.body)
      if (!form.ok) throw new Refused(form.errors)
      const guessable = { db: app.db, baseUrl: app.config.baseUrl, whose: request.requirePerson() }
      return { password: await hashNewPassword(form.values.password, guessable) }
    },
    // All sessions have ended; this browser gets a new one, under a new token.
    shown: async (_, reply, access) => void (await reply.signIn(access)),
    done: () => '/settings',
    flash: () => 'accounts.flash.passwordChanged',
    refused: show,
  })
}

function show(request: FastifyRequest, reply: FastifyReply, password: FormState, status = 422) {
  return showSettings(request, reply, request.requirePerson(), { password }, status)
}
