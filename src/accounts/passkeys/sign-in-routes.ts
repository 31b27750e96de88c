import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { localPath } from '../../web/paths.ts'
import type { Guesses } from '../identity/guesses.ts'
import { requireRelyingParty } from '../identity/relying-party.ts'
import { showCode, startAgain } from '../second-factor/pages.ts'
import { endHalfSignIn, forgetHalfSignIn, halfSignInOf, tryHalfSignIn } from '../sessions/half-sign-ins.ts'
import { letIn } from '../sessions/welcome.ts'
import { showSignIn } from '../sign-in/sign-in-page.ts'
import { assertionOptions, type Identified, identify } from './authentication.ts'
import { secondStepForm, signInForm } from './forms.ts'
import { type Descriptors, descriptorsOf } from './passkey.ts'
import { type Purpose, rememberChallenge, takeChallenge } from './webauthn.ts'

/**
 * Signing in with a passkey: alone, as it is something one has and, with its PIN or finger, something one knows or is; or as
 * the second step after a password. The script of the page asks for a challenge, and sends the answer as a form. No operations: only a session
 * begins.
 */
export function registerPasskeySignIn(app: FastifyInstance, guesses: Guesses): void {
  const config = { limit: 'signIn' } as const
  const ANYBODY = { act: 'sign-in', personId: null } as const

  app.get('/sign-in/passkey/challenge', async (request, reply) => challenge(request, reply, ANYBODY, []))

  app.post('/sign-in/passkey', { config }, async (request, reply) => {
    const party = requireRelyingParty(request)
    const form = signInForm.parse(request.body)
    const path = localPath(form.typed.next)
    const given = await takeChallenge(request, reply, ANYBODY)
    const refused = (error: Refused) =>
      showSignIn(request, reply, ...refusedIn(reply, freshForm({ next: path }), error))
    if (!form.ok || given === null) return refused(given === null ? { late: true } : { refused: true })
    const found = await identify(request, guesses, party, form.values._passkey, given)
    if (!('personId' in found)) return refused(found)
    forgetHalfSignIn(request, reply)
    return letIn(request, reply, { ...found, way: 'passkey', path, flash: 'accounts.flash.signedIn' })
  })

  app.get('/sign-in/code/passkey/challenge', async (request, reply) => {
    const begun = await halfSignInOf(request)
    if (begun === null) return reply.redirect('/sign-in', 303)
    const { personId } = begun.half
    return challenge(request, reply, { act: 'second-step', personId }, await descriptorsOf(app.db, personId))
  })

  app.post('/sign-in/code/passkey', { config }, async (request, reply) => {
    const party = requireRelyingParty(request)
    const begun = await halfSignInOf(request)
    if (begun === null) return startAgain(request, reply)
    const { token, half } = begun
    const { personId } = half
    const form = secondStepForm.parse(request.body)
    const given = await takeChallenge(request, reply, { act: 'second-step', personId })
    const refused = (error: Refused) =>
      showCode(request, reply, half, ...refusedIn(reply, freshForm(), error))
    if (!form.ok || given === null) return refused(given === null ? { late: true } : { refused: true })
    if (!(await tryHalfSignIn(app.db, token))) return startAgain(request, reply)
    const found = await identify(request, guesses, party, form.values._passkey, given, personId)
    if (!('personId' in found)) return refused(found)
    if (!(await endHalfSignIn(app.db, token))) return startAgain(request, reply)
    forgetHalfSignIn(request, reply)
    return letIn(request, reply, { ...half, flash: 'accounts.flash.signedIn' }, 'passkey')
  })
}

/** `late`: the challenge was given too long ago, or answered before. */
type Refused = Exclude<Identified, { readonly personId: number }> | { readonly late: true }

async function challenge(
  request: FastifyRequest,
  reply: FastifyReply,
  purpose: Purpose,
  allowed: Descriptors,
) {
  const options = await assertionOptions(requireRelyingParty(request), allowed)
  rememberChallenge(request, reply, purpose, options.challenge)
  return reply
    .header('cache-control', 'private, no-store')
    .type('application/json; charset=utf-8')
    .send(options)
}

/** The form with the reason, and the status of its page. */
function refusedIn(reply: FastifyReply, form: FormState, error: Refused): [form: FormState, status: number] {
  if (!('wait' in error))
    return [refuse(form, 'passkey', 'late' in error ? 'passkeys.late' : 'passkeys.refused'), 422]
  reply.header('retry-after', String(error.wait))
  return [refuse(form, 'passkey', 'passkeys.wait', { minutes: Math.ceil(error.wait / 60) }), 429]
}
