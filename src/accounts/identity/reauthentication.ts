import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { forbidden } from '../../operations/problem.ts'
import { type FormState, refuse } from '../../web/form.ts'
import type { Guesses } from './guesses.ts'
import { isRightPassword } from './passwords.ts'
import { type Proof, proofForPassword } from './queries.ts'

/** A form refused for a reason that decides the status, too. */
export interface Refusal {
  readonly form: FormState
  readonly status: number
}

/** Where a form has the password, and what was typed there. */
export interface Retyped {
  readonly field: string
  readonly password: string
}

/**
 * Asks the sender of a form to prove that they are the owner, as checkItsYou does.
 * @returns null when it is them
 * @throws Problem 403 when nothing they could type would show it
 */
export async function askWhoItIs(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  form: FormState,
  retyped: Retyped,
): Promise<Refusal | null> {
  const { id } = request.requirePerson()
  const proof = await proofForPassword(request.server.db, id, request.sessionToken)
  if (proof.by === 'none') throw forbidden()
  return checkItsYou(request, reply, guesses, proof, form, retyped)
}

/**
 * Asks for the password again before an account changes hands: somebody who finds an open session still has to know it (OWASP ASVS
 * 5.0, 7.5.1). Their guesses are counted; the answer says how long to wait after too many.
 * @returns null when it is right, or when the session's way in was proof enough
 */
export async function checkItsYou(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  proof: Proof,
  form: FormState,
  retyped: Retyped,
): Promise<Refusal | null> {
  if (proof.by !== 'password') return null
  const { id } = request.requirePerson()
  return checkPassword(request, reply, guesses, { id, passwordHash: proof.passwordHash }, form, retyped)
}

/**
 * Compares what was typed with the password of an account, which may not be the one that is signed in. Wrong ones are counted as guesses.
 * @param account passwordHash null: nothing that is typed is right
 * @returns null when it is right
 */
export async function checkPassword(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  { id: personId, passwordHash }: { readonly id: number; readonly passwordHash: string | null },
  form: FormState,
  { field, password }: Retyped,
): Promise<Refusal | null> {
  const guessed = { personId, what: 'password' } as const
  const seconds = await guesses.wait(guessed, request.ip)
  if (seconds !== null) {
    const minutes = Math.ceil(seconds / 60)
    noteEvent(request, 'reauthentication-limited', { personId })
    reply.header('retry-after', String(seconds))
    return { form: refuse(form, field, 'accounts.signIn.wait', { minutes }), status: 429 }
  }
  if (await isRightPassword(passwordHash, password)) {
    await guesses.forget(guessed, request.ip)
    return null
  }
  noteEvent(request, 'reauthentication-refused', { personId })
  return { form: refuse(form, field, 'accounts.current.wrong'), status: 422 }
}
