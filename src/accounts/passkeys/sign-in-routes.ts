import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { localPath } from '../../web/paths.ts'
import type { Access } from '../identity/access.ts'
import { refuseGuess } from '../identity/guesses.ts'
import { type RelyingParty, requireRelyingParty } from '../identity/relying-party.ts'
import { showCode, startAgain } from '../second-factor/pages.ts'
import { endHalfSignIn, forgetHalfSignIn, halfSignInOf, tryHalfSignIn } from '../sessions/half-sign-ins.ts'
import { letIn } from '../sessions/welcome.ts'
import { showSignIn } from '../sign-in/sign-in-page.ts'
import { type Assertion, secondStepForm, signInForm } from './forms.ts'
import { type Descriptors, descriptorsOf, findCredential, type KnownCredential, markUsed } from './passkey.ts'
import {
  CHALLENGE_LIFE,
  checked,
  type Purpose,
  rememberChallenge,
  takeChallenge,
  webauthn,
} from './webauthn.ts'

/** Who signed; or why nobody did: 'wait' for a number of seconds after too many wrong signatures. */
type Identified = Access | { readonly wait: number } | { readonly refused: true }

/**
 * Whose passkey signed a challenge. Wrong signatures are counted by account and network, as passwords are.
 * @param ownerId whose it has to be; null: anybody's
 */
async function identify(
  request: FastifyRequest,
  party: RelyingParty,
  assertion: Assertion,
  challenge: string,
  ownerId: number | null = null,
): Promise<Identified> {
  const { db, guesses } = request.server
  const refuse = (reason: string, personId: number | null): Identified => {
    noteEvent(request, 'sign-in-refused', { way: 'passkey', personId, reason })
    return { refused: true }
  }
  const known = await findCredential(db, assertion.id)
  if (known === null) return refuse('nobody has it', ownerId)
  const { personId, passkeyId, accessVersion } = known
  if (ownerId === null && assertion.response.userHandle === undefined)
    return refuse('it names nobody', personId)
  if (ownerId !== null && personId !== ownerId) return refuse('it is somebody else’s', ownerId)
  const guessed = { personId, what: 'passkey' } as const
  const seconds = await guesses.wait(guessed, request.ip)
  if (seconds !== null) return { wait: seconds }
  const signed = await checkAssertion(party, known, assertion, challenge)
  if (!signed.ok) return refuse(signed.reason, personId)
  if (!(await markUsed(db, passkeyId, signed.value))) return refuse('its counter went back', personId)
  await guesses.forget(guessed, request.ip)
  return { personId, accessVersion }
}

/** What a browser needs to ask for a signature. @param allowed empty: any passkey for this forum */
async function assertionOptions(party: RelyingParty, allowed: Descriptors) {
  const { generateAuthenticationOptions } = await webauthn()
  return generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: allowed,
    userVerification: 'required',
    timeout: CHALLENGE_LIFE,
  })
}

/**
 * Checks a signature as WebAuthn Level 3, 7.2, says: challenge, origin, host, presence and verification of
 * the user, the key, its counter, and that the authenticator means the person whose key it is.
 */
async function checkAssertion(
  party: RelyingParty,
  known: KnownCredential,
  { id, response: { userHandle, ...signed } }: Assertion,
  challenge: string,
) {
  return checked(async () => {
    if (userHandle !== undefined && !Buffer.from(userHandle, 'base64url').equals(known.handle))
      throw new Error('the authenticator means somebody else')
    const { verifyAuthenticationResponse } = await webauthn()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response: signed, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(known.publicKey), counter: known.counter },
    })
    if (!verified) throw new Error('the signature is wrong')
    if ((authenticationInfo.credentialDeviceType === 'multiDevice') !== known.isBackupEligible)
      throw new Error('the key has become another kind')
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp }
  })
}

/**
 * Signing in with a passkey: alone, as it is something one has and, with its PIN or finger, something one knows or is; or as
 * the second step after a password. The script of the page asks for a challenge, and sends the answer as a form. No operations: only a session
 * begins.
 */
export function registerPasskeySignIn(app: FastifyInstance): void {
  const config = { limit: 'signIn' } as const
  const ANYBODY = { act: 'sign-in', personId: null } as const

  app.get('/sign-in/passkey/challenge', async (request, reply) => challenge(request, reply, ANYBODY, []))

  app.post('/sign-in/passkey', { config }, async (request, reply) => {
    const party = requireRelyingParty(request)
    const form = signInForm.parse(request.body)
    const path = localPath(form.typed.next)
    const given = await takeChallenge(request, reply, ANYBODY)
    const refused = (error: Refused) =>
      showSignIn(request, reply, refusedIn(reply, freshForm({ next: path }), error))
    if (!form.ok || given === null) return refused(given === null ? { late: true } : { refused: true })
    const found = await identify(request, party, form.values._passkey, given)
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
    const refused = (error: Refused) => showCode(request, reply, half, refusedIn(reply, freshForm(), error))
    if (!form.ok || given === null) return refused(given === null ? { late: true } : { refused: true })
    if (!(await tryHalfSignIn(app.db, token))) return startAgain(request, reply)
    const found = await identify(request, party, form.values._passkey, given, personId)
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

/** The form with the reason, whose status the reply has. */
function refusedIn(reply: FastifyReply, form: FormState, error: Refused): FormState {
  if ('wait' in error) return refuseGuess(reply, error.wait, form, 'passkey', 'passkeys.wait')
  reply.code(422)
  return refuse(form, 'passkey', 'late' in error ? 'passkeys.late' : 'passkeys.refused')
}
