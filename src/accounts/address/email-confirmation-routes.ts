import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { forbidden, Problem } from '../../operations/problem.ts'
import { type FormState, freshForm, refuse, typedFields } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { localPath, pathWith } from '../../web/paths.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import { showDeadLink } from '../identity/dead-link.ts'
import { AS_HOLDER, confirmationForm } from '../identity/forms.ts'
import type { Guesses } from '../identity/guesses.ts'
import { findMailLink, type MailLink } from '../identity/mail-links.ts'
import { type OpenedLink, openedLink, openLink } from '../identity/opened-link.ts'
import { findPasswordHash } from '../identity/queries.ts'
import { checkPassword, type Refusal } from '../identity/reauthentication.ts'
import { CONFIRMING, confirmEmail, findMailbox, sendConfirmation } from './email-confirmation.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'accounts/confirm-email': ConfirmationPage
  }
}

export interface ConfirmationPage extends OpenedLink {
  readonly form: FormState
  /** Whether the viewer is signed in to the account: then nothing else is asked of them. */
  readonly isHolder: boolean
  /** Whether the mailbox alone gives the account to the viewer: not where another account is to get this address. */
  readonly mayClaim: boolean
}

/** Where the account's address stands, for those who were nowhere else. */
const EMAIL_SETTINGS = '/settings#email'

/** What the page of a dead link says. */
const DEAD_LINK = {
  title: 'accounts.deadLink.title',
  text: 'accounts.deadConfirmation.text',
  advice: 'accounts.deadConfirmation.advice',
}

/**
 * Confirming that a mailbox is one's own, by a link sent there. The reader of the mailbox need not be signed in: they give the
 * account's password, or get the account without those who had it before (claim.ts).
 */
export function registerEmailConfirmation(app: FastifyInstance, guesses: Guesses): void {
  app.get('/confirm-email', async (request, reply) => {
    const found = await openLink(request, reply, CONFIRMING)
    if (found === null) return showDeadLink(request, reply, DEAD_LINK)
    return showConfirmation(request, reply, found.link, found.opened, freshForm())
  })

  app.post('/confirm-email', { config: { limit: 'signIn' } }, async (request, reply) => {
    const form = confirmationForm.parse(request.body)
    const token = form.typed.token ?? ''
    const link = await findMailLink(app.db, CONFIRMING, token)
    if (link === null) return showDeadLink(request, reply, DEAD_LINK)
    const opened = openedLink(reply, link, token)
    if (!form.ok) return showConfirmation(request, reply, link, opened, form, 422)
    const password = form.values.account_password
    const asHolder = form.values.as === AS_HOLDER || password !== '' || link.purpose === 'change-email'
    const refusal =
      asHolder && !isSignedInTo(request, link)
        ? await refuseStranger(request, reply, guesses, link, form, password)
        : null
    if (refusal !== null) return showConfirmation(request, reply, link, opened, refusal.form, refusal.status)
    return confirm(request, reply, token, asHolder || isSignedInTo(request, link))
  })

  const config = { limit: 'mail', needsPerson: true, formPage: () => '/settings' } as const
  app.post('/settings/email/confirmation', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const next = localPath(typedFields(request.body).next || EMAIL_SETTINGS)
    const { email, isConfirmed } = await findMailbox(app.db, person.id)
    if (email === null) throw forbidden()
    if (!isConfirmed) {
      const to = { personId: person.id, email, isConfirmed, language: person.language }
      const isSent = await app.db
        .transaction()
        .execute((write) => sendConfirmation(write, to, circumstancesOf(request), next))
      if (!isSent) throw new Problem('tooOften', 60 * 60)
    }
    return reply.flash('accounts.flash.confirmationSent').redirect(next, 303)
  })
}

async function confirm(request: FastifyRequest, reply: FastifyReply, token: string, isHolder: boolean) {
  const result = await confirmEmail(request.server.db, token, isHolder, circumstancesOf(request))
  if (result.outcome === 'dead') return showDeadLink(request, reply, DEAD_LINK)
  const { personId } = result
  noteEvent(request, 'email-confirmed', { personId })
  if (result.outcome === 'confirmed') {
    const { nextPath } = result
    const path =
      request.person === null
        ? pathWith('/sign-in', { next: nextPath === '/' ? null : nextPath })
        : (nextPath ?? '/settings')
    return reply.flash('accounts.flash.emailConfirmed').redirect(path, 303)
  }
  noteEvent(request, 'account-claimed', { personId, way: 'mail' })
  const path = pathWith('/new-password', { token: result.newPasswordToken })
  return reply.flash('accounts.flash.claimed').redirect(path, 303)
}

function isSignedInTo({ person }: FastifyRequest, { personId }: MailLink): boolean {
  return person?.id === personId
}

/** @returns null when the password is that of the link's account */
async function refuseStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  { personId }: MailLink,
  form: FormState,
  password: string,
): Promise<Refusal | null> {
  const field = 'account_password'
  if (password === '') return { form: refuse(form, field, 'accounts.confirm.passwordMissing'), status: 422 }
  const account = { id: personId, passwordHash: await findPasswordHash(request.server.db, personId) }
  return checkPassword(request, reply, guesses, account, form, { field, password })
}

function showConfirmation(
  request: FastifyRequest,
  reply: FastifyReply,
  link: MailLink,
  opened: OpenedLink,
  form: FormState,
  status = 200,
) {
  const title = translatorOf(languageOfRequest(request))('accounts.confirm.title')
  const isHolder = isSignedInTo(request, link)
  const mayClaim = !isHolder && link.purpose === 'confirm-email'
  return reply.page('accounts/confirm-email', { title, ...opened, form, isHolder, mayClaim }, { status })
}
