import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { forbidden } from '../../kernel/problem.ts'
import { type Form, type FormState, form, freshForm, refuse } from '../../web/form.ts'
import type { PageContext } from '../../web/page.ts'
import { pathWith } from '../../web/paths.ts'
import { passwordAgain } from './fields.ts'
import { type Guesses, refuseGuess } from './guesses.ts'
import { isRightPassword } from './passwords.ts'
import { type Proof, proofForPassword } from './queries.ts'
import type { Asked } from './ways.ts'

/** Where a form has the password, and what was typed there. */
interface Retyped {
  readonly field: string
  readonly password: string
}

/**
 * Asks for the password again before an account changes hands: somebody who finds an open session still has to know it (OWASP ASVS
 * 5.0, 7.5.1).
 * @returns the form with what is wrong; null when it is right, or when the session's way in was proof enough
 * @throws Problem 403 when nothing they could type would show who they are
 */
export async function askWhoItIs(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  form: FormState,
  retyped: Retyped,
): Promise<FormState | null> {
  const { id } = request.requirePerson()
  const proof = await proofForPassword(request.server.db, id, request.sessionToken)
  if (proof.by === 'none') throw forbidden()
  if (proof.by !== 'password') return null
  return checkPassword(request, reply, guesses, { id, passwordHash: proof.passwordHash }, form, retyped)
}

/**
 * Compares what was typed with the password of an account, which may not be the one that is signed in. Wrong ones are counted as guesses.
 * @param account passwordHash null: nothing that is typed is right
 * @returns the form with what is wrong, whose status the reply has; null when it is right
 */
export async function checkPassword(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  { id: personId, passwordHash }: { readonly id: number; readonly passwordHash: string | null },
  form: FormState,
  { field, password }: Retyped,
): Promise<FormState | null> {
  const guessed = { personId, what: 'password' } as const
  const seconds = await guesses.wait(guessed, request.ip)
  if (seconds !== null) {
    noteEvent(request, 'reauthentication-limited', { personId })
    return refuseGuess(reply, seconds, form, field, 'accounts.signIn.wait')
  }
  if (await isRightPassword(passwordHash, password)) {
    await guesses.forget(guessed, request.ip)
    return null
  }
  noteEvent(request, 'reauthentication-refused', { personId })
  reply.code(422)
  return refuse(form, field, 'accounts.current.wrong')
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

/** Forms of sections of the security page that were sent, to be shown again. */
export type SentToSecurity = Readonly<Partial<Record<'passkeyForm' | 'factorForm', FormState>>>

/** Shows that page, on which the sections of several rooms stand. */
export type ShowSecurity = (
  request: FastifyRequest,
  reply: FastifyReply,
  sent: SentToSecurity,
) => Promise<unknown>

type Show = (request: FastifyRequest, reply: FastifyReply, form: FormState) => Promise<unknown>

/**
 * Asks for the password again, in a form's field `current_password`, whatever else is in the form.
 * @param show shows the form's page with what is wrong, and nothing of what was typed
 * @param asked what for: less is asked for a key
 * @returns that page; null when the password was right, or something else showed who it is
 */
export async function refuseStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
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
  const account = { id, passwordHash: proof.passwordHash }
  const refused = await checkPassword(request, reply, guesses, account, freshForm(), { field, password })
  return refused === null ? null : show(request, reply, refused)
}

/** The same in a form with fields of its own: what is wrong with these is told first, and counts as no guess. */
export async function refuseFormOfStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  own: Pick<Form<unknown>, 'parse'>,
  show: Show,
  asked?: Asked,
): Promise<unknown> {
  const { ok, typed, errors } = own.parse(request.body)
  if (!ok) return show(request, reply.code(422), { typed, errors })
  const showAgain: Show = (_, reply, { errors }) => show(request, reply, { typed, errors })
  return refuseStranger(request, reply, guesses, showAgain, asked)
}

/** A provider to sign in with again: for views/accounts/_sign-in-again.eta. */
export interface SignInAgain {
  readonly label: string
  readonly path: string
}

/** Linked providers to prove with who one is. @param back left out: to this page */
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
