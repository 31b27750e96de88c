import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { type FormState, freshForm, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { claimAccount } from '../address/address.ts'
import { email } from '../identity/fields.ts'
import { newPasswordForm } from '../identity/forms.ts'
import { atPace } from '../identity/guesses.ts'
import { writeTo } from '../identity/letters.ts'
import { lockPerson } from '../identity/lock.ts'
import { askForMailLink, DeadLink, findMailLink, type MailLink, useMailLink } from '../identity/mail-links.ts'
import { OF_LINK, ofLink, openLink, orDeadLink, showDeadLink, tokenOf } from '../identity/opened-link.ts'
import { hashedPassword, hashNewPassword } from '../identity/passwords.ts'
import { findAccount } from '../identity/queries.ts'
import { setPassword } from './sign-up.ts'

/** Asking for a link to a new password. The answer is the same, after the same time, whether the address has an account. */
export function registerForgottenPassword(app: FastifyInstance): void {
  app.get('/forgotten-password', (request, reply) => showForgottenPassword(request, reply))

  openForm(app, '/forgotten-password', newPasswordRequest, {
    key: ({ body }) => sentFields(body).email,
    ...OF_LINK,
    pace: atPace,
    done: () => '/sign-in',
    // Without a mail server the link goes to the admin, who passes it on.
    flash: () =>
      app.config.smtpUrl === null ? 'accounts.flash.newPasswordKept' : 'accounts.flash.newPasswordSent',
    refused: showForgottenPassword,
  })
}

export const showForgottenPassword = page(
  'accounts/forgotten-password',
  {},
  ({ t, formFields, viewer, isSending }, form: FormState = freshForm({ email: viewer?.email ?? '' })) => ({
    title: t('accounts.forgotten.title'),
    form,
    fields: formFields('signIn', newPasswordRequest.input, form),
    isSending,
    signInPath: '/sign-in',
  }),
)

const DEAD_LINK = { text: 'accounts.deadNewPassword.text', advice: 'accounts.deadNewPassword.advice' }

/**
 * Setting a new password with a link that came by mail. Opening the link changes nothing. It does not sign in: a person who has set
 * the password signs in with it, past whatever else that asks for (OWASP ASVS 5.0, 6.4.3).
 */
export function registerNewPassword(app: FastifyInstance): void {
  app.get('/new-password', async (request, reply) => {
    const link = await openLink(request, ['new-password'])
    if (link === null) return showDeadLink(request, reply, DEAD_LINK)
    return showNewPassword(request, reply, link, freshForm())
  })

  openForm(app, '/new-password', newPasswordSetting, {
    key: tokenOf,
    ...OF_LINK,
    async input(request) {
      const link = await linkOf(request)
      const { password } = newPasswordForm.read(request.body).values
      return { password: await hashNewPassword(app, password, link) }
    },
    done: () => '/sign-in',
    flash: () => 'accounts.flash.newPassword',
    refused: async (request, reply, form) => showNewPassword(request, reply, await linkOf(request), form),
    failed: orDeadLink(DEAD_LINK),
  })
}

/** @throws DeadLink */
async function linkOf(request: FastifyRequest) {
  const link = await findMailLink(request.server.db, ['new-password'], tokenOf(request))
  if (link === null) throw new DeadLink()
  return link
}

export const showNewPassword = page(
  'accounts/new-password',
  {},
  ({ t, formFields }, link: MailLink, form: FormState) => ({
    title: t('accounts.newPassword.title'),
    ...ofLink(link),
    form,
    fields: formFields('newPassword', newPasswordSetting.input, form),
  }),
)

/** Sends the account of an address a link to a new password; does nothing when there is none, or when it got five within the hour. */
export const newPasswordRequest = operation({
  name: 'ask-for-new-password',
  right: 'visit',
  async find(write: Write, typed: unknown) {
    const address = email().safeParse(typed)
    const account = address.success ? await findAccount(write, address.data) : null
    const person = account === null ? null : await lockPerson(write, account.id)
    return person === null ? null : { ...person, accountId: person.id }
  },
  limit: 'mail',
  input: { email: email() },
  events: ['new-password-asked'],
  async run({ write, subject, input: { email }, note, ...where }) {
    note('new-password-asked', {})
    if (subject?.email !== email) return
    const token = await askForMailLink(write, { personId: subject.id, purpose: 'new-password', email })
    if (token !== null) await writeTo(write, subject, 'newPassword', where, { token })
  },
})

/** Sets the password of the account a link was sent to, and so confirms its address. All its sessions and links end. @throws DeadLink */
export const newPasswordSetting = operation({
  name: 'set-forgotten-password',
  right: 'visit',
  find: (write: Write, token: string) => useMailLink(write, ['new-password'], token),
  limit: 'signIn',
  input: { password: hashedPassword },
  events: ['password-changed'],
  async run({ write, subject: { person, email, personId }, input: { password }, note, ...where }) {
    const isTheirs = person.isConfirmed
      ? person.email === email
      : (await claimAccount(write, person, email)) !== null
    if (!isTheirs) throw new DeadLink()
    await setPassword(write, person, password.hash, where)
    note('password-changed', { personId, proof: 'mail' })
  },
})
