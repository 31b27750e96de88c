import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { forbidden } from '../../kernel/problem.ts'
import { type Form, type FormState, form, freshForm, refuse } from '../../web/form.ts'
import type { PageContext } from '../../web/page.ts'
import { pathWith } from '../../web/paths.ts'
import { passwordAgain } from './fields.ts'
import { refuseGuess } from './guesses.ts'
import { isRightPassword } from './passwords.ts'
import { proofForPassword } from './queries.ts'
import type { Asked } from './ways.ts'

type Show = (request: FastifyRequest, reply: FastifyReply, form: FormState) => Promise<unknown>

/**
 * Asks for the password again, in a field of a form, before an account changes hands: somebody who finds an
 * open session still has to know it (OWASP ASVS 5.0, 7.5.1).
 * @returns the page with what is wrong; null when it is right, or when the session's way in was proof enough
 * @throws Problem 403 when nothing they could type would show who they are
 */
export async function askWhoItIs<Field extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  own: Form<Readonly<Record<Field, string>>>,
  field: Field,
  show: Show,
): Promise<unknown> {
  const form = own.parse(request.body)
  if (!form.ok) return show(request, reply.code(422), form)
  const { id } = request.requirePerson()
  const proof = await proofForPassword(request.server.db, id, request.sessionToken)
  if (proof.by === 'none') throw forbidden()
  if (proof.by !== 'password') return null
  const typed = { field, password: form.values[field] }
  return refuseWrong(request, reply, { id, ...proof }, form, typed, show)
}

/**
 * Compares what was typed with the password of an account, which may not be the one that is signed in. Wrong ones are counted as guesses.
 * @param account passwordHash null: nothing that is typed is right
 * @returns the page with what is wrong; null when it is right
 */
export async function refuseWrong(
  request: FastifyRequest,
  reply: FastifyReply,
  { id: personId, passwordHash }: { readonly id: number; readonly passwordHash: string | null },
  form: FormState,
  { field, password }: { readonly field: string; readonly password: string },
  show: Show,
): Promise<unknown> {
  const { guesses } = request.server
  const guessed = { personId, what: 'password' } as const
  const seconds = await guesses.wait(guessed, request.ip)
  if (seconds !== null) {
    noteEvent(request, 'reauthentication-limited', { personId })
    return show(request, reply, refuseGuess(reply, seconds, form, field, 'accounts.signIn.wait'))
  }
  if (await isRightPassword(passwordHash, password)) {
    await guesses.forget(guessed, request.ip)
    return null
  }
  noteEvent(request, 'reauthentication-refused', { personId })
  return show(request, reply.code(422), refuse(form, field, 'accounts.current.wrong'))
}

/** May be empty where none is asked for: queries.ts, proofForPassword. */
const passwordAgainForm = form({ current_password: passwordAgain() })

/**
 * What a form that asks for the password again needs to know of its owner: `account` is what they sign in
 * with, `proof` what is asked of them, `again` providers to sign in with again, none unless asked for.
 * @param asked what for
 * @param back where signing in again leads; left out: to this page
 */
export async function askingOf(context: PageContext, asked?: Asked, back?: string) {
  const person = context.person()
  const { by: proof } = await proofForPassword(context.db, person.id, context.sessionToken, asked)
  const again = proof === 'none' ? await waysToSignInAgain(context, back) : []
  return { account: person.email ?? person.displayName, proof, again }
}
export type Asking = Awaited<ReturnType<typeof askingOf>>

/**
 * Shows the security page, with forms of its sections that were sent: the sections of several rooms stand on
 * it.
 */
export type ShowSecurity = (...given: [...Parameters<Show>, passkeyForm?: FormState]) => Promise<unknown>

/**
 * Asks for the password again, in a form's field `current_password`, whatever else is in the form.
 * @param show shows the form's page with what is wrong, and nothing of what was typed
 * @param asked what for: less is asked for a key
 * @returns that page; null when the password was right, or something else showed who it is
 */
export async function refuseStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  show: Show,
  asked?: Asked,
): Promise<unknown> {
  const form = passwordAgainForm.parse(request.body)
  if (!form.ok) return show(request, reply.code(422), { typed: {}, errors: form.errors })
  const { id } = request.requirePerson()
  const proof = await proofForPassword(request.server.db, id, request.sessionToken, asked)
  const [field, password] = ['current_password', form.values.current_password]
  // The page says how to get a link that shows it.
  if (proof.by === 'none')
    return show(request, reply.code(422), refuse(freshForm(), field, 'accounts.current.again'))
  if (proof.by !== 'password') return null
  return refuseWrong(request, reply, { id, ...proof }, freshForm(), { field, password }, show)
}

/** The same in a form with fields of its own: what is wrong with these is told first and is no guess. */
export async function refuseFormOfStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  own: Form<unknown>,
  show: Show,
  asked?: Asked,
): Promise<unknown> {
  const { ok, typed, errors } = own.parse(request.body)
  if (!ok) return show(request, reply.code(422), { typed, errors })
  const showAgain: Show = (_, reply, { errors }) => show(request, reply, { typed, errors })
  return refuseStranger(request, reply, showAgain, asked)
}

/**
 * Linked providers with which a person without a password can prove who they are, and come back.
 * @param back left out: to this page
 */
export async function waysToSignInAgain({ db, server, person, path }: PageContext, back?: string) {
  const usable = await server.providers.usable()
  if (usable.length === 0) return []
  const links = await db
    .selectFrom('linked_accounts')
    .select('provider_id')
    .where('person_id', '=', person().id)
    .execute()
  const own = usable.filter(({ id }) => links.some((link) => link.provider_id === id))
  const next = back ?? (await path())
  return own.map(({ name, label }) => ({
    label,
    path: pathWith(`/sign-in/with/${name}`, { again: 1, next }),
  }))
}
