import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { forbidden } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import { type FormState, refuse } from '../../web/form.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import { passwordForm } from '../identity/forms.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { hashPassword } from '../identity/passwords.ts'
import { guessableWords, proofForPassword } from '../identity/queries.ts'
import { checkItsYou, type Refusal } from '../identity/reauthentication.ts'
import { isWeakPassword } from '../identity/weak-passwords.ts'
import { changePassword } from '../sign-in/commands.ts'
import { showSettings } from './settings-page.ts'

/** Setting a new password, in the settings. */
export function registerPasswordChange(app: FastifyInstance, guesses: Guesses): void {
  const config = { limit: 'signIn', needsPerson: true, formPage: () => '/settings' } as const
  app.post('/settings/password', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const form = passwordForm.parse(request.body)
    if (!form.ok) return showSettings(request, reply, person, { password: form }, 422)
    const proof = await proofForPassword(app.db, person.id, request.sessionToken)
    if (person.email === null || proof.by === 'none') throw forbidden()
    const { current_password: current, password } = form.values
    const retyped = { field: 'current_password', password: current }
    const refusal =
      (await checkItsYou(request, reply, guesses, proof, form, retyped)) ??
      (await checkNew(request, person, form, password))
    if (refusal !== null)
      return showSettings(request, reply, person, { password: refusal.form }, refusal.status)
    const hash = await hashPassword(password)
    const access = await changePassword(app.db, sessionOf(request), hash, circumstancesOf(request))
    // All sessions have ended; this browser gets a new one, under a new token.
    await reply.signIn(access)
    noteEvent(request, 'password-changed', { proof: proof.by })
    return reply.flash('accounts.flash.passwordChanged').redirect('/settings', 303)
  })
}

async function checkNew(
  request: FastifyRequest,
  person: Person,
  form: FormState,
  password: string,
): Promise<Refusal | null> {
  const words = await guessableWords(request.server.db, request.server.config.baseUrl, person)
  if (!isWeakPassword(password, words)) return null
  return { form: refuse(form, 'password', 'accounts.password.weak'), status: 422 }
}
