import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { perform } from '../../kernel/perform.ts'
import { type FormState, freshForm, refuse, typedFields } from '../../web/form.ts'
import { openForm, surroundingsOf } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import { localPath, pathWith, signInPath } from '../../web/paths.ts'
import { AddressTaken, addressOwnerTelling } from '../address/address.ts'
import { confirmationRequest } from '../address/email-confirmation.ts'
import { signUpForm } from '../identity/forms.ts'
import { hashNewPassword, refuseWeak } from '../identity/passwords.ts'
import { findAccount } from '../identity/queries.ts'
import { letIn, welcome } from '../sessions/welcome.ts'
import { authenticate } from './authenticate.ts'
import { whyOf } from './sign-in-page.ts'
import { signUp } from './sign-up.ts'

/**
 * Making an account. Who gives an address that has one learns nothing more than at the sign-in form if the password is
 * right: then they are simply signed in (a double click, or somebody who forgot that they signed up). With another
 * password the refusal does tell that the address is taken. A new account is signed in at once, as nobody in a lecture waits
 * for mail; a visitor who is not sees that there was one. Hiding it would need either that wait, or a second account with the same
 * address for a person who forgot the first. So the owner is told by mail, such tries count as guesses at that account's password,
 * every try costs one password hash, and kernel/limits.ts bounds how many one network address may make.
 */
export function registerSignUp(app: FastifyInstance): void {
  app.get('/sign-up', async (request, reply) => {
    const next = localPath(queryParam(request, 'next'))
    if (request.person !== null) return reply.redirect(next, 303)
    if (await isProviderRequired(app)) return reply.redirect(signInPath(next), 303)
    return showSignUp(request, reply, freshForm({ next }))
  })

  openForm(app, '/sign-up', signUp, {
    key: async () => null,
    actor: ({ person }) => person,
    instead: async (_, reply) =>
      (await isProviderRequired(app))
        ? reply.flash('accounts.signIn.required').redirect('/sign-in', 303)
        : null,
    async input(request) {
      const form = signUpForm.read(request.body)
      const { display_name: displayName, email, password } = form.values
      const whose = { displayName, email }
      if ((await findAccount(app.db, email)) === null)
        return { ...form.typed, next: nextOf(request), password: await hashNewPassword(app, password, whose) }
      await refuseWeak(app, password, whose)
      throw new AddressTaken()
    },
    done: (_, request) => nextOf(request),
    shown(request, reply, made) {
      const path = nextOf(request)
      const confirming = confirmationRequest(app, path)
      const flash = [{ key: 'accounts.flash.signedUp' }, ...(confirming === null ? [] : [confirming.said])]
      return letIn(request, reply, { ...made, way: 'sign-up', path, flash, act: confirming?.act })
    },
    refused: showSignUp,
    failed: (request, reply, error) => (error instanceof AddressTaken ? enterOrRefuse(request, reply) : null),
  })
}

/** A provider that is required creates the accounts. */
async function isProviderRequired(app: FastifyInstance): Promise<boolean> {
  return (await app.providers.usable()).some(({ isRequired }) => isRequired)
}

/** The page that the form leads to: a path of the forum. */
const nextOf = ({ body }: FastifyRequest) => localPath(typedFields(body).next)

/**
 * The address has an account, or got one this moment. Whose password it is, too, is let in, unless it was
 * guessed too often.
 */
async function enterOrRefuse(request: FastifyRequest, reply: FastifyReply) {
  const form = signUpForm.read(request.body)
  const { email, password } = form.values
  const { db, guesses } = request.server
  const isGuessing = (await guesses.wait({ email }, request.ip)) !== null
  const owner = isGuessing ? null : await authenticate(db, email, password)
  if (owner !== null) {
    await guesses.forget({ email }, request.ip)
    const entry = { way: 'password', path: nextOf(request), flash: 'accounts.flash.signedIn' } as const
    return welcome(request, reply, { ...owner, ...entry })
  }
  const call = { actor: null, key: null, input: { email } }
  await perform(db, addressOwnerTelling, call, surroundingsOf(request))
  noteEvent(request, 'sign-up-refused', {})
  return showSignUp(request, reply.code(422), refuse(form, 'email', 'accounts.signUp.taken'))
}

export const showSignUp = page('accounts/sign-up', {}, ({ t, formFields }, form: FormState) => {
  const next = localPath(form.typed.next)
  return {
    title: t('accounts.signUp.title'),
    form,
    fields: formFields('signUp', signUp.input, form),
    next,
    why: whyOf(next),
    signInPath: pathWith('/sign-in', { next: next === '/' ? null : next }),
  }
})
