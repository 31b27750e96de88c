import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { perform } from '../../kernel/perform.ts'
import { forbidden } from '../../kernel/problem.ts'
import { keepAppearance, readAppearance } from '../../web/appearance.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm, surroundingsOf } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import { appearancePath, localPath } from '../../web/paths.ts'
import { addressOwnerTelling } from '../address/address.ts'
import { appearanceForm, emailForm, passwordForm, SYSTEM } from '../identity/forms.ts'
import { atPace } from '../identity/guesses.ts'
import { sessionOf } from '../identity/own-account.ts'
import { hashNewPassword } from '../identity/passwords.ts'
import { askWhoItIs } from '../identity/reauthentication.ts'
import { findKeptForm, restoredForm } from '../sessions/kept-forms.ts'
import { emailChangeRequest, passwordChange, profileChange } from './operations.ts'
import { languageOptions, showSettings, typedOf } from './settings-page.ts'

export function registerSettings(app: FastifyInstance): void {
  app.get('/settings', async (request, reply) => {
    const person = request.requirePerson()
    const kept = await findKeptForm(request)
    return showSettings(request, reply, { profile: restoredForm(request, kept, typedOf(person)) })
  })
  openForm(app, '/settings', profileChange, {
    key: sessionOf,
    formPage: () => '/settings',
    keeps: true,
    done: () => '/settings',
    flash: () => 'accounts.flash.saved',
    refused: showSent('profile'),
  })
}

/** Asking for another address, in the settings. It is the account's once a link sent there is used: address/address-routes.ts. */
export function registerEmailChange(app: FastifyInstance): void {
  openForm(app, '/settings/email', emailChangeRequest, {
    key: sessionOf,
    formPage: () => '/settings',
    instead: (request, reply) => askWhoItIs(request, reply, emailForm, 'email_password', showSent('email')),
    pace: atPace,
    // Separately: a transaction that locks two people at once might deadlock with another one.
    async shown(request, _, { email, isTaken }) {
      const call = { actor: request.person, key: null, input: { email } }
      if (isTaken) await perform(app.db, addressOwnerTelling, call, surroundingsOf(request))
    },
    done: () => '/settings#email',
    flash: () => (app.config.smtpUrl === null ? 'accounts.emailChange.kept' : 'accounts.flash.newEmailSent'),
    refused: showSent('email'),
  })
}

export function registerPasswordChange(app: FastifyInstance): void {
  openForm(app, '/settings/password', passwordChange, {
    key: sessionOf,
    formPage: () => '/settings',
    instead: (request, reply) =>
      askWhoItIs(request, reply, passwordForm, 'current_password', showSent('password')),
    async input(request) {
      const { password } = passwordForm.read(request.body).values
      const person = request.requirePerson()
      if (person.email === null) throw forbidden()
      return { password: await hashNewPassword(app, password, person) }
    },
    // All sessions have ended; this browser gets a new one, under a new token.
    shown: async (_, reply, access) => void (await reply.signIn(access)),
    done: () => '/settings',
    flash: () => 'accounts.flash.passwordChanged',
    refused: showSent('password'),
  })
}

/** The settings with what was sent to one of their forms. */
function showSent(form: 'profile' | 'email' | 'password') {
  return (request: FastifyRequest, reply: FastifyReply, sent: FormState) =>
    showSettings(request, reply, { [form]: sent })
}

/** `/appearance`: visitors choose language and theme for their browser: no operation, as only a cookie changes. Who is signed in has both in the settings. */
export function registerAppearance(app: FastifyInstance): void {
  app.get('/appearance', async (request, reply) => {
    if (request.person !== null) return reply.redirect('/settings#appearance', 303)
    const { language, theme } = readAppearance(request.headers.cookie)
    const next = localPath(queryParam(request, 'next'))
    return showAppearance(request, reply, freshForm({ language: language ?? SYSTEM, theme, next }))
  })

  app.post('/appearance', { config: { limit: 'voting' } }, async (request, reply) => {
    const form = appearanceForm.parse(request.body)
    if (!form.ok) return showAppearance(request, reply.code(422), form)
    const { language, theme, next } = form.values
    keepAppearance(reply, { language: language === SYSTEM ? null : language, theme })
    return reply.flash('accounts.flash.appearance').redirect(localPath(next), 303)
  })
}

export const showAppearance = page(
  'accounts/appearance',
  { robots: 'noindex' },
  (context, form: FormState) => {
    const next = localPath(form.typed.next)
    return {
      title: context.t('layout.appearance'),
      form,
      // Where the choice leads back to: a path of ours.
      next,
      // Of the footer's link: this page, not this page leading to this page.
      appearancePath: appearancePath(next),
      fields: context.formFields('profile', appearanceForm.fields, form, {
        language: { options: languageOptions(context.t) },
      }),
    }
  },
)
