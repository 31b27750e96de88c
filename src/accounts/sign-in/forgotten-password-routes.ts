import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import { forgottenPasswordForm } from '../identity/forms.ts'
import { atPace } from '../identity/pace.ts'
import { sendNewPasswordLink } from './forgotten-password.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'accounts/forgotten-password': ForgottenPasswordPage
  }
}

export interface ForgottenPasswordPage {
  readonly form: FormState
  /** Without a mail server the link goes to the admin, who passes it on. */
  readonly isSending: boolean
  readonly signInPath: string
}

/** Asking for a link to a new password. The answer is the same, after the same time, whether the address has an account. */
export function registerForgottenPassword(app: FastifyInstance): void {
  const isSending = app.config.smtpUrl !== null

  app.get('/forgotten-password', async (request, reply) =>
    showForgottenPassword(request, reply, freshForm({ email: request.person?.email ?? '' })),
  )

  app.post('/forgotten-password', { config: { limit: 'mail' } }, async (request, reply) => {
    const form = forgottenPasswordForm.parse(request.body)
    if (!form.ok) return showForgottenPassword(request, reply, form, 422)
    await atPace(sendNewPasswordLink(app.db, form.values.email, circumstancesOf(request)))
    noteEvent(request, 'new-password-asked', { address: request.ip })
    return reply
      .flash(isSending ? 'accounts.flash.newPasswordSent' : 'accounts.flash.newPasswordKept')
      .redirect('/sign-in', 303)
  })

  function showForgottenPassword(
    request: FastifyRequest,
    reply: FastifyReply,
    form: FormState,
    status = 200,
  ) {
    const t = translatorOf(languageOfRequest(request))
    return reply.page(
      'accounts/forgotten-password',
      { title: t('accounts.forgotten.title'), form, isSending, signInPath: '/sign-in' },
      { status },
    )
  }
}
