import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import { showDeadLink } from '../identity/dead-link.ts'
import { newPasswordForm } from '../identity/forms.ts'
import { findMailLink } from '../identity/mail-links.ts'
import { type OpenedLink, openedLink, openLink } from '../identity/opened-link.ts'
import { hashPassword } from '../identity/passwords.ts'
import { guessableWords } from '../identity/queries.ts'
import { isWeakPassword } from '../identity/weak-passwords.ts'
import { setForgottenPassword } from './forgotten-password.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'accounts/new-password': NewPasswordPage
  }
}

/** The address is there for password managers. */
export interface NewPasswordPage extends OpenedLink {
  readonly form: FormState
}

/** What the page of a dead link says. */
const DEAD_LINK = {
  title: 'accounts.deadLink.title',
  text: 'accounts.deadNewPassword.text',
  advice: 'accounts.deadNewPassword.advice',
}

/**
 * Setting a new password with a link that came by mail. Opening the link changes nothing. It does not sign in: a person who has set
 * the password signs in with it, past whatever else that asks for (OWASP ASVS 5.0, 6.4.3).
 */
export function registerNewPassword(app: FastifyInstance): void {
  app.get('/new-password', async (request, reply) => {
    const found = await openLink(request, reply, ['new-password'])
    if (found === null) return showDeadLink(request, reply, DEAD_LINK)
    return showNewPassword(request, reply, found.opened, freshForm())
  })

  app.post('/new-password', { config: { limit: 'signIn' } }, async (request, reply) => {
    const form = newPasswordForm.parse(request.body)
    const token = form.typed.token ?? ''
    const link = await findMailLink(app.db, ['new-password'], token)
    if (link === null) return showDeadLink(request, reply, DEAD_LINK)
    const opened = openedLink(reply, link, token)
    if (!form.ok) return showNewPassword(request, reply, opened, form, 422)
    const { password } = form.values
    if (isWeakPassword(password, await guessableWords(app.db, app.config.baseUrl, link))) {
      const refused = refuse(form, 'password', 'accounts.password.weak')
      return showNewPassword(request, reply, opened, refused, 422)
    }
    const hash = await hashPassword(password)
    const personId = await setForgottenPassword(app.db, token, hash, circumstancesOf(request))
    if (personId === null) return showDeadLink(request, reply, DEAD_LINK)
    noteEvent(request, 'password-changed', { personId, proof: 'mail' })
    return reply.flash('accounts.flash.newPassword').redirect('/sign-in', 303)
  })
}

function showNewPassword(
  request: FastifyRequest,
  reply: FastifyReply,
  opened: OpenedLink,
  form: FormState,
  status = 200,
) {
  const title = translatorOf(languageOfRequest(request))('accounts.newPassword.title')
  return reply.page('accounts/new-password', { title, ...opened, form }, { status })
}
