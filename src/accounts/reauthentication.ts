import type { FastifyRequest } from 'fastify'
import { noteEvent } from '../events/note.ts'
import { type FormState, refuse } from '../web/form.ts'
import type { Guesses } from './guesses.ts'
import { isRightPassword } from './passwords.ts'
import type { Person } from './person.ts'
import type { Proof } from './queries.ts'

/** A form refused for a reason that decides the status, too. */
export interface Refusal {
  readonly form: FormState
  readonly status: number
  /** Seconds. */
  readonly retryAfter?: number
}

/**
 * Asks for the password again before an account changes hands: whoever finds an open session still has to know it (OWASP ASVS
 * 5.0, 7.5.1). Their guesses are counted.
 * @param field of the form that holds the password
 * @returns null when it is right, or when the session's way in was proof enough
 */
export async function checkItsYou(
  request: FastifyRequest,
  guesses: Guesses,
  person: Person,
  proof: Proof,
  form: FormState,
  { field, password }: { readonly field: string; readonly password: string },
): Promise<Refusal | null> {
  if (proof.by !== 'password') return null
  const seconds = await guesses.wait(`person ${person.id}`, request.ip)
  if (seconds !== null) {
    const minutes = Math.ceil(seconds / 60)
    noteEvent(request, 'reauthentication-limited', {})
    return {
      form: refuse(form, field, 'accounts.signIn.wait', { minutes }),
      status: 429,
      retryAfter: seconds,
    }
  }
  if (await isRightPassword(proof.passwordHash, password)) {
    await guesses.forget(`person ${person.id}`, request.ip)
    return null
  }
  noteEvent(request, 'reauthentication-refused', {})
  return { form: refuse(form, field, 'accounts.current.wrong'), status: 422 }
}
