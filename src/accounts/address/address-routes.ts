import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MailLinkPurpose, Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { type FormState, freshForm, refuse, sentFields, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { localPath, pathWith } from '../../web/paths.ts'
import { hashToken } from '../../web/tokens.ts'
import { deleteOtherWays, endUselessCodes } from '../identity/factors.ts'
import { AS_HOLDER, confirmationForm } from '../identity/forms.ts'
import { endMailLinks, findMailLink, type MailLink, makeMailLink } from '../identity/mail-links.ts'
import { OF_LINK, ofLink, openLink, orDeadLink, showDeadLink, tokenOf } from '../identity/opened-link.ts'
import { sessionOf } from '../identity/own-account.ts'
import { findPasswordHash } from '../identity/queries.ts'
import { refuseWrong } from '../identity/reauthentication.ts'
import { endWaysIn } from '../sessions/endings.ts'
import { takeAddress, useLinkToAddress } from './address.ts'
import { CONFIRMING, confirmationSending, emailConfirmation } from './email-confirmation.ts'
import { hasOffers } from './imported-address.ts'

/** Where the account's address stands, for those who were nowhere else. */
const EMAIL_SETTINGS = '/settings#email'

/**
 * Confirming that a mailbox is one's own, by a link sent there. The reader of the mailbox need not be signed in: they give the
 * account's password, or get the account without those who had it before (address.ts).
 */
export function registerEmailConfirmation(app: FastifyInstance): void {
  const isSending = app.config.smtpUrl !== null
  const deadLink = {
    text: 'accounts.deadConfirmation.text',
    advice: isSending ? 'accounts.deadConfirmation.advice' : 'accounts.flash.confirmationKept',
  }
  app.get('/confirm-email', async (request, reply) => {
    const link = await openLink(request, CONFIRMING)
    if (link === null) return showDeadLink(request, reply, deadLink)
    return showConfirmation(request, reply, link, freshForm())
  })

  openForm(app, '/confirm-email', emailConfirmation, {
    key: (request) => ({
      token: tokenOf(request),
      isHolder: saysHolder(request),
      personId: request.person?.id ?? null,
    }),
    ...OF_LINK,
    async instead(request, reply) {
      const form = confirmationForm.parse(request.body)
      const link = await findMailLink(app.db, CONFIRMING, form.typed.token ?? '')
      if (link === null) return showDeadLink(request, reply, deadLink)
      if (!form.ok) return showConfirmation(request, reply.code(422), link, form)
      const isAsked = saysHolder(request) || link.purpose === 'change-email'
      if (!isAsked || request.person?.id === link.personId) return null
      const { account_password: password } = form.values
      const show = (_: FastifyRequest, reply: FastifyReply, form: FormState) =>
        showConfirmation(request, reply, link, form)
      const field = 'account_password'
      if (password === '')
        return show(request, reply.code(422), refuse(form, field, 'accounts.confirm.passwordMissing'))
      const account = { id: link.personId, passwordHash: await findPasswordHash(app.db, link.personId) }
      return refuseWrong(request, reply, account, form, { field, password }, show)
    },
    done({ nextPath, newPasswordToken }, { person }) {
      if (newPasswordToken !== null) return pathWith('/new-password', { token: newPasswordToken })
      if (person !== null) return nextPath ?? '/settings'
      return pathWith('/sign-in', { next: nextPath === '/' ? null : nextPath })
    },
    async flash({ person }, done) {
      if (done?.newPasswordToken != null) return 'accounts.flash.claimed'
      const isOffered = person !== null && (await hasOffers(app.db, person.id))
      return {
        said: [
          { key: 'accounts.flash.emailConfirmed' },
          ...(isOffered ? [{ key: 'claims.flash.offered' }] : []),
        ],
      }
    },
    failed: orDeadLink(deadLink),
  })

  const next = (request: FastifyRequest) => localPath(typedFields(request.body).next || EMAIL_SETTINGS)
  openForm(app, '/settings/email/confirmation', confirmationSending, {
    key: sessionOf,
    formPage: () => '/settings',
    input: (request) => ({ next: next(request) }),
    done: (_, request) => next(request),
    flash: () => (isSending ? 'accounts.flash.confirmationSent' : 'accounts.flash.confirmationKept'),
  })
}

/** Whether the sender gives the account's password: whoever only has the mailbox need not. */
function saysHolder({ body }: FastifyRequest): boolean {
  const { as, account_password: password } = sentFields(body)
  return as === AS_HOLDER || (typeof password === 'string' && password !== '')
}

export const showConfirmation = page(
  'accounts/confirm-email',
  {},
  ({ t, viewer }, link: MailLink, form: FormState) => {
    const isHolder = viewer?.id === link.personId
    return {
      title: t('accounts.confirm.title'),
      ...ofLink(link),
      form,
      isHolder,
      // Whether the mailbox alone gives the viewer the account: not where another account gets the address.
      mayClaim: !isHolder && link.purpose === 'confirm-email',
    }
  },
)

const DEAD_LINK = { text: 'accounts.deadUndo.text', advice: 'accounts.deadUndo.advice' }

/**
 * The way back for an owner who did not change the address, or turn a second factor on, themselves. Leads straight on to a new
 * password.
 */
export function registerTakingBack(app: FastifyInstance): void {
  for (const purpose of UNDOING) {
    app.get(`/${purpose}`, async (request, reply) => {
      const link = await openLink(request, [purpose])
      return link === null ? showDeadLink(request, reply, DEAD_LINK) : showWayBack(request, reply, link)
    })

    openForm(app, `/${purpose}`, takingBack, {
      key: (request) => ({ purpose, token: tokenOf(request) }),
      ...OF_LINK,
      done: (token) => pathWith('/new-password', { token }),
      flash: () => 'accounts.flash.takenBack',
      failed: orDeadLink(DEAD_LINK),
    })
  }
}

/** Letters with a way back, which is at `/` and this, tell of what a thief might do to keep the owner out. */
type UndoPurpose = Extract<MailLinkPurpose, `undo-${string}`>
const UNDOING: readonly UndoPurpose[] = ['undo-email-change', 'undo-second-factor']

/**
 * Gives an account back to the person who opened a link in a mailbox that was its own before: with the address it had then, and without
 * the app and the passkeys that came with the letter or later. The person who added them knew the password, so it is void, every session with it.
 * @returns the token of a link to a new password
 * @throws DeadLink
 */
export const takingBack = operation({
  name: 'take-account-back',
  right: 'visit',
  find: (write: Write, { purpose, token }: { readonly purpose: UndoPurpose; readonly token: string }) =>
    useLinkToAddress(write, [purpose], token),
  limit: 'signIn',
  events: ['email-change-undone'],
  async run({ write, subject, note }) {
    const { personId, email, wasConfirmed, token } = subject
    await takeAddress(write, subject)
    await write.updateTable('people').set({ password_hash: null }).where('id', '=', personId).execute()
    await endWaysIn(write, personId)
    await endMailLinks(write, personId, ['confirm-email'])
    if (wasConfirmed) await removeWhatCameAfter(write, personId, token)
    else await removeStrangersWaysIn(write, personId)
    note('email-change-undone', {})
    return makeMailLink(write, { personId, purpose: 'new-password', email })
  },
})

/**
 * What came with the letter or after it is not the owner's: an app or a passkey would keep them out, and ways back lead to the thief.
 * Ways back from before are the owner's own.
 */
async function removeWhatCameAfter(write: Write, personId: number, token: string): Promise<void> {
  const letter = write.selectFrom('mail_links').select('made_at').where('token_hash', '=', hashToken(token))
  await write
    .deleteFrom('second_factors')
    .where('person_id', '=', personId)
    .where('confirmed_at', '>=', letter)
    .execute()
  await write
    .deleteFrom('passkeys')
    .where('person_id', '=', personId)
    .where('added_at', '>=', letter)
    .execute()
  await write
    .deleteFrom('linked_accounts')
    .where('person_id', '=', personId)
    .where('linked_at', '>=', letter)
    .execute()
  await endUselessCodes(write, personId)
  await write
    .deleteFrom('mail_links')
    .where('person_id', '=', personId)
    .where('purpose', 'in', UNDOING)
    .where('used_at', 'is', null)
    .where('made_at', '>=', letter)
    .execute()
}

/** Nobody had opened the mailbox before: a stranger may have signed up under its address, so no factor and no way back is the owner's. */
async function removeStrangersWaysIn(write: Write, personId: number): Promise<void> {
  await deleteOtherWays(write, personId)
  await endMailLinks(write, personId, UNDOING)
}

export const showWayBack = page('accounts/take-back', {}, ({ t }, link: MailLink) => {
  const words = link.purpose === 'undo-email-change' ? 'undo' : 'undoFactor'
  return {
    title: t('accounts.undo.title'),
    lead: t(`accounts.${words}.lead`),
    notNeeded: t(`accounts.${words}.notNeeded`),
    ...ofLink(link),
    path: `/${link.purpose}`,
  }
})
