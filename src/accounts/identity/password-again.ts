import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../rights/person.ts'
import { type FormState, form } from '../../web/form.ts'
import { passwordAgain } from './fields.ts'
import type { Guesses } from './guesses.ts'
import { type Proof, proofForPassword } from './queries.ts'
import { checkItsYou } from './reauthentication.ts'
import { type SignInAgain, waysToSignInAgain } from './sign-in-again.ts'

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

/** What is to be asked of somebody in this session. */
export async function askingOf(request: FastifyRequest, person: Person): Promise<Asking> {
  const proof = await proofForPassword(request.server.db, person.id, request.sessionToken)
  const again = proof.by === 'none' ? await waysToSignInAgain(request, person) : []
  return { account: person.email ?? person.displayName, proof: proof.by, again }
}

/**
 * Asks for the password again, in a form's field `current_password`, whatever else is in the form.
 * @param show shows the form's page with what is wrong
 * @returns that page; null when the password was right, or something else showed who it is
 */
export async function refuseStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  show: (form: FormState, status: number) => Promise<string>,
): Promise<string | null> {
  const form = passwordAgainForm.parse(request.body)
  if (!form.ok) return show(form, 422)
  const { id } = request.requirePerson()
  const proof = await proofForPassword(request.server.db, id, request.sessionToken)
  // The page says how to get a link that shows it.
  if (proof.by === 'none') return show(form, 422)
  const typed = { field: 'current_password', password: form.values.current_password }
  const refusal = await checkItsYou(request, reply, guesses, proof, form, typed)
  return refusal === null ? null : show(refusal.form, refusal.status)
}
