import type { FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import type { Access } from '../identity/access.ts'
import type { Guesses } from '../identity/guesses.ts'
import type { RelyingParty } from '../identity/relying-party.ts'
import type { Assertion } from './forms.ts'
import { type Descriptors, findCredential, type KnownCredential, markUsed } from './passkey.ts'
import { CHALLENGE_LIFE, checked, webauthn } from './webauthn.ts'

/** Who signed; or why nobody did: 'wait' for a number of seconds after too many wrong signatures. */
export type Identified = Access | { readonly wait: number } | { readonly refused: true }

/**
 * Whose passkey signed a challenge. Wrong signatures are counted by account and network, as passwords are.
 * @param ownerId whose it has to be; left out: anybody's
 */
export async function identify(
  request: FastifyRequest,
  guesses: Guesses,
  party: RelyingParty,
  assertion: Assertion,
  challenge: string,
  ownerId: number | null = null,
): Promise<Identified> {
  const { db } = request.server
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

/**
 * What a browser needs to ask for a signature, a new challenge among it.
 * @param allowed empty: any passkey for this forum
 */
export async function assertionOptions(party: RelyingParty, allowed: Descriptors) {
  const { generateAuthenticationOptions } = await webauthn()
  return generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: allowed,
    userVerification: 'required',
    timeout: CHALLENGE_LIFE,
  })
}

/**
 * Checks a signature as WebAuthn Level 3, 7.2, says: challenge, origin, host, presence and verification of the user, the key, its
 * counter, and that the authenticator means the person whose key it is.
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
