import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { forbidden } from '../../kernel/problem.ts'
import { type Form, type FormState, form, refuse } from '../../web/form.ts'
import type { PageContext } from '../../web/page.ts'
import { pathWith } from '../../web/paths.ts'
import { passwordAgain } from './fields.ts'
import type { Guesses } from './guesses.ts'
import { isRightPassword } from './passwords.ts'
import { type Proof, proofForPassword } from './queries.ts'
import type { Asked } from './ways.ts'

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
async function checkItsYou(
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
export async function askingOf(context: PageContext, asked?: Asked, back?: string): Promise<Asking> {
  const person = context.person()
  const proof = await proofForPassword(context.db, person.id, context.sessionToken, asked)
  const again = proof.by === 'none' ? await waysToSignInAgain(context, back) : []
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

/** A provider to sign in with again: for views/accounts/_sign-in-again.eta. */
export interface SignInAgain {
  readonly label: string
  readonly path: string
}

/**
 * Lists the linked providers with which a person without a password can prove who they are, and come back.
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
