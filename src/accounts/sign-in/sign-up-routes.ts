import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import { localPath, pathWith, signInPath } from '../../web/paths.ts'
import { tellOwner } from '../address/address-taken.ts'
import { confirmationRequest } from '../address/confirmation-request.ts'
import { sendConfirmation } from '../address/email-confirmation.ts'
import { type Access, FIRST_ACCESS } from '../identity/access.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import { signUpForm } from '../identity/forms.ts'
import type { Guesses } from '../identity/guesses.ts'
import type { Circumstances } from '../identity/letters.ts'
import { hashPassword } from '../identity/passwords.ts'
import { findAccount, guessableWords } from '../identity/queries.ts'
import { isWeakPassword } from '../identity/weak-passwords.ts'
import { letIn, welcome } from '../sessions/welcome.ts'
import { checkAccount } from './authenticate.ts'
import { createPerson } from './commands.ts'
import { type Why, whyOf } from './sign-in-reason.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'accounts/sign-up': SignUpPage
  }
}

export interface SignUpPage {
  readonly form: FormState
  /** Where signing up leads: a path of ours. */
  readonly next: string
  readonly why: Why
  readonly signInPath: string
}

interface NewAccount {
  readonly display_name: string
  readonly email: string
  readonly password: string
}

/**
 * Making an account. Who gives an address that has one learns nothing more than at the sign-in form if the password is
 * right: then they are simply signed in (a double click, or somebody who forgot that they signed up). With another
 * password the refusal does tell that the address is taken. A new account is signed in at once, as nobody in a lecture waits
 * for mail; a visitor who is not sees that there was one. Hiding it would need either that wait, or a second account with the same
 * address for a person who forgot the first. So the owner is told by mail, such tries count as guesses at that account's password,
 * every try costs one password hash, and limits/table.ts bounds how many one network address may make.
 */
export function registerSignUp(app: FastifyInstance, guesses: Guesses): void {
  app.get('/sign-up', async (request, reply) => {
    const next = localPath(queryParam(request, 'next'))
    if (request.person !== null) return reply.redirect(next, 303)
    if (await isProviderRequired(app)) return reply.redirect(signInPath(next), 303)
    return showSignUp(request, reply, freshForm({ next }))
  })

  app.post('/sign-up', { config: { limit: 'signUp' } }, async (request, reply) => {
    if (await isProviderRequired(app))
      return reply.flash('accounts.signIn.required').redirect('/sign-in', 303)
    const form = signUpForm.parse(request.body)
    if (!form.ok) return showSignUp(request, reply, form, 422)
    const { display_name: displayName, email, password, next } = form.values
    const words = await guessableWords(app.db, app.config.baseUrl, { displayName, email })
    if (isWeakPassword(password, words)) {
      return showSignUp(request, reply, refuse(form, 'password', 'accounts.password.weak'), 422)
    }
    const path = localPath(next)
    const circumstances = circumstancesOf(request)
    const made = await makeAccount(app, form.values, circumstances, path)
    if (made !== null) {
      const confirming = confirmationRequest(app, path)
      const flash = [{ key: 'accounts.flash.signedUp' }, ...(confirming === null ? [] : [confirming.said])]
      return letIn(request, reply, { ...made, way: 'sign-up', path, flash, act: confirming?.act })
    }
    const owner = await knownOwner(app, guesses, form.values, request.ip)
    if (owner !== null) {
      return welcome(request, reply, {
        ...owner,
        way: 'password',
        path,
        flash: 'accounts.flash.signedIn',
      })
    }
    await app.db.transaction().execute((write) => tellOwner(write, email, circumstances))
    noteEvent(request, 'sign-up-refused', { address: request.ip })
    return showSignUp(request, reply, refuse(form, 'email', 'accounts.signUp.taken'), 422)
  })
}

/** Where a provider is required, it makes the accounts. */
async function isProviderRequired(app: FastifyInstance): Promise<boolean> {
  return (await app.providers.usable()).some(({ isRequired }) => isRequired)
}

/**
 * Makes an account that works at once; a mail asks to confirm its address.
 * @param path where its owner is: confirming leads back there
 * @returns null when the address has one, or got one this moment
 */
async function makeAccount(
  app: FastifyInstance,
  { email, password, display_name: displayName }: NewAccount,
  circumstances: Circumstances,
  path: string,
): Promise<Access | null> {
  if ((await findAccount(app.db, email)) !== null) return null
  const passwordHash = await hashPassword(password)
  return app.db.transaction().execute(async (write) => {
    const personId = await createPerson(write, { displayName, email, passwordHash, isNewcomer: true })
    if (personId === null) return null
    const to = { personId, email, isConfirmed: false, language: null }
    await sendConfirmation(write, to, circumstances, path)
    return { personId, accessVersion: FIRST_ACCESS }
  })
}

/** Whose address and password these already are; null when the password is wrong or was guessed too often. */
async function knownOwner(
  app: FastifyInstance,
  guesses: Guesses,
  { email, password }: NewAccount,
  ip: string,
): Promise<Access | null> {
  if ((await guesses.wait({ email }, ip)) !== null) return null
  const access = await checkAccount(app.db, await findAccount(app.db, email), password)
  if (access !== null) await guesses.forget({ email }, ip)
  return access
}

function showSignUp(request: FastifyRequest, reply: FastifyReply, form: FormState, status = 200) {
  const t = translatorOf(languageOfRequest(request))
  const next = localPath(form.typed.next)
  const signInPath = pathWith('/sign-in', { next: next === '/' ? null : next })
  return reply.page(
    'accounts/sign-up',
    { title: t('accounts.signUp.title'), form, next, why: whyOf(next), signInPath },
    { status },
  )
}
