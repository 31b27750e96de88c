import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, freshForm, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { OF_LINK } from '../identity/opened-link.ts'
import { atPace } from '../identity/pace.ts'
import { newPasswordRequest } from './forgotten-password.ts'

interface ForgottenPasswordPage {
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

  openForm(app, '/forgotten-password', newPasswordRequest, {
    key: ({ body }) => sentFields(body).email,
    ...OF_LINK,
    pace: atPace,
    done: () => '/sign-in',
    flash: () => (isSending ? 'accounts.flash.newPasswordSent' : 'accounts.flash.newPasswordKept'),
    refused: (request, reply, form) => showForgottenPassword(request, reply, form, 422),
  })

  function showForgottenPassword(
    request: FastifyRequest,
    reply: FastifyReply,
    form: FormState,
    status = 200,
  ) {
    const t = translatorFor(request)
    return reply.page<ForgottenPasswordPage>(
      'accounts/forgotten-password',
      { title: t('accounts.forgotten.title'), form, isSending, signInPath: '/sign-in' },
      { status },
    )
  }
}
