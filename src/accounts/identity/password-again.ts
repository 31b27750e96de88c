import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../rights/person.ts'
import { type Form, type FormState, form, refuse } from '../../web/form.ts'
import { passwordAgain } from './fields.ts'
import type { Guesses } from './guesses.ts'
import { type Proof, proofForPassword } from './queries.ts'
import { checkItsYou } from './reauthentication.ts'
import { type SignInAgain, waysToSignInAgain } from './sign-in-again.ts'
import type { Asked } from './ways.ts'

/** What a form that asks for the password again needs to know of its owner. */
export interface Asking {
  /** What they sign in with. */
  readonly account: string
  /** What is asked of them: queries.ts. */
  readonly proof: Proof['by']
  /** Providers to sign in with again; empty unless that is asked for. */
  readonly again: readonly SignInAgain[]
}

/** May be empty where none is asked for: queries.ts, proofForPassword. */
const passwordAgainForm = form({ current_password: passwordAgain() })

/** What is to be asked of somebody in this session. @param asked what for @param back where signing in again leads; left out: to this page */
export async function askingOf(
  request: FastifyRequest,
  person: Person,
  asked?: Asked,
  back?: string,
): Promise<Asking> {
  const proof = await proofForPassword(request.server.db, person.id, request.sessionToken, asked)
  const again = proof.by === 'none' ? await waysToSignInAgain(request, person, back) : []
  return { account: person.email ?? person.displayName, proof: proof.by, again }
}

/** A form of a section of the security page that was sent, to be shown again. */
export interface SentToSecurity {
  readonly status?: number
  readonly passkeyForm?: FormState
  readonly factorForm?: FormState
}

/** Shows that page, on which the sections of several rooms stand. */
export type ShowSecurity = (
  request: FastifyRequest,
  reply: FastifyReply,
  sent: SentToSecurity,
) => Promise<string>

type Show = (form: FormState, status: number) => Promise<string>

/**
 * Asks for the password again, in a form's field `current_password`, whatever else is in the form.
 * @param show shows the form's page with what is wrong
 * @param asked what for: less is asked for a key
 * @returns that page; null when the password was right, or something else showed who it is
 */
export async function refuseStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  show: Show,
  asked?: Asked,
): Promise<string | null> {
  const form = passwordAgainForm.parse(request.body)
  if (!form.ok) return show(form, 422)
  const { id } = request.requirePerson()
  const proof = await proofForPassword(request.server.db, id, request.sessionToken, asked)
  // The page says how to get a link that shows it.
  if (proof.by === 'none') return show(refuse(form, 'current_password', 'accounts.current.again'), 422)
  const typed = { field: 'current_password', password: form.values.current_password }
  const refusal = await checkItsYou(request, reply, guesses, proof, form, typed)
  return refusal === null ? null : show(refusal.form, refusal.status)
}

/**
 * The same in a form with fields of its own. What is wrong with these is told first, and counts as no guess; what was typed stays, but
 * the password.
 */
export async function refuseFormOfStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  own: Pick<Form<unknown>, 'parse'>,
  show: Show,
  asked?: Asked,
): Promise<string | null> {
  const { ok, typed, errors } = own.parse(request.body)
  if (!ok) return show({ typed, errors }, 422)
  const showAgain: Show = (form, status) => show({ typed, errors: form.errors }, status)
  return refuseStranger(request, reply, guesses, showAgain, asked)
}
